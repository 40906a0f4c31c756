# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/Library.cmake)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME lockscope)
install(TARGETS lockscope lockctl RUNTIME)
# Started by the two programs, never by hand.
install(TARGETS lockscope-sandbox lockscope-session RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockscope)

if(UNIX AND NOT APPLE)
    set(app_id org.lockscope.Lockscope)
    set(linux ${CMAKE_CURRENT_LIST_DIR}/linux)
    install(FILES ${linux}/${app_id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES ${linux}/${app_id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES ${linux}/${app_id}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME ${app_id}.xml)
    install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/lockscope-app.svg
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps RENAME ${app_id}.svg)
    # Each shell looks in a folder of its own; Debian's zsh in another one than others'.
    set(completions ${CMAKE_CURRENT_LIST_DIR}/completions)
    install(FILES ${completions}/lockctl.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lockctl)
    install(FILES ${completions}/lockctl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    set(zsh_folder site-functions)
    if(EXISTS /etc/debian_version)
        set(zsh_folder vendor-completions)
    endif()
    install(FILES ${completions}/_lockctl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder})
    # Records servers as a service of the system; enabled by nobody but the administrator.
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/systemd/lockscope-record@.service
        ${CMAKE_CURRENT_LIST_DIR}/systemd/lockscope-agent.service DESTINATION lib/systemd/system)
    file(GLOB manual CONFIGURE_DEPENDS ${linux}/*.1 ${CMAKE_CURRENT_LIST_DIR}/man/*.1)
    install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${linux}/copyright README.md ARCHITECTURE.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
    install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
    # The manual, to be read without the window. The tree is that of the source, so that its links lead somewhere.
    install(DIRECTORY resources/help resources/screenshots DESTINATION ${CMAKE_INSTALL_DOCDIR}/resources)
    file(RELATIVE_PATH to_schema ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/lockscope/schema)
    install(CODE "file(CREATE_LINK ${to_schema}
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/schema\" SYMBOLIC)")
    # For the DBA, and for programs in other languages.
    install(DIRECTORY schema DESTINATION ${CMAKE_INSTALL_DATADIR}/lockscope
        FILES_MATCHING PATTERN "install.sql" PATTERN "uninstall.sql")
    # The programs have them inside; here they are to be read and copied, with the schema for one's own.
    install(DIRECTORY resources/scenarios resources/frameworks resources/alerts resources/agent resources/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/lockscope
        FILES_MATCHING PATTERN "*.json" PATTERN "*.yml")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Lockscope authors <authors@lockscope.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "see who holds which database lock, and who waits")
set(CPACK_PACKAGE_DESCRIPTION
    "A desktop dashboard over the locks of a database server, and the command lockctl for scripts:
holders, waiters, who blocks whom, and a safe way to free a stuck one.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Two packages: the programs, and what other programs are built with.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL lockscope lockscope-dev)
set(CPACK_DEBIAN_LOCKSCOPE_PACKAGE_NAME lockscope)
set(CPACK_DEBIAN_LOCKSCOPE-DEV_PACKAGE_NAME lockscope-dev)
set(CPACK_DEBIAN_LOCKSCOPE-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LOCKSCOPE-DEV_PACKAGE_DEPENDS "qt6-base-dev, qtkeychain-qt6-dev, libexpected-dev, libpq-dev, \
libsqlite3-dev, unixodbc-dev, libjsoncpp-dev, libqt6sql6-sqlite, libqt6sql6-odbc")
set(CPACK_COMPONENT_LOCKSCOPE-DEV_DESCRIPTION
    "The core library of Lockscope for programs in C++: locks of every kind, work queues, and a monitor.")
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time, so that no tool finds them: the drivers, and the plug-in that shows the icons.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6sql6-sqlite, libqt6sql6-odbc, libqt6svg6")
# SQL Server: Microsoft's driver, where its repository is set up, verifies certificates; FreeTDS is Debian's own.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "postgresql, tdsodbc | msodbcsql18")
include(CPack)
