# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT

# The core library for other programs: Lockscope::Core, of what takes locks, judges their order and looks on. One archive of the objects that
# the programs are linked with; the headers in core/include/ are its interface, the others come along because those include
# them.
set(parts base domain report json db frameworks order locks monitor)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:lockscope_\\1>" OUTPUT_VARIABLE objects)
add_library(lockscope_library STATIC ${objects} $<TARGET_OBJECTS:lockscope_db_resources_1>
    $<TARGET_OBJECTS:lockscope_frameworks_resources_1>)
add_library(Lockscope::Core ALIAS lockscope_library)
set_target_properties(lockscope_library PROPERTIES OUTPUT_NAME lockscope EXPORT_NAME Core LINKER_LANGUAGE CXX)
target_compile_features(lockscope_library INTERFACE cxx_std_20)
target_include_directories(lockscope_library INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/core/include> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/Lockscope/internal>)
target_link_libraries(lockscope_library
    PUBLIC Qt6::Core Qt6::Sql tl::expected
    PRIVATE Qt6::Network qt6keychain PostgreSQL::PostgreSQL SQLite::SQLite3 ODBC::ODBC JsonCpp::JsonCpp)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME lockscope-dev)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Lockscope)
install(TARGETS lockscope_library EXPORT LockscopeTargets ARCHIVE)
install(EXPORT LockscopeTargets NAMESPACE Lockscope:: DESTINATION ${package})
install(DIRECTORY core/include/Lockscope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Nothing internal is installed but what those include, and what that includes.
file(GLOB waiting CONFIGURE_DEPENDS core/include/Lockscope/*.h)
set(reached ${waiting})
while(waiting)
    list(POP_FRONT waiting header)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${header} includes REGEX "^#include \"core/")
    foreach(include IN LISTS includes)
        string(REGEX REPLACE "^#include \"(.+)\".*" "\\1" path ${include})
        if(NOT path IN_LIST reached)
            list(APPEND reached ${path})
            list(APPEND waiting ${CMAKE_SOURCE_DIR}/${path})
            get_filename_component(folder ${path} DIRECTORY)
            install(FILES ${path} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/Lockscope/internal/${folder})
        endif()
    endforeach()
endwhile()
install(DIRECTORY resources/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cmake/LockscopeConfig.cmake.in
    ${CMAKE_BINARY_DIR}/LockscopeConfig.cmake INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may break what it was; see ARCHITECTURE.md.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/LockscopeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LockscopeConfig.cmake ${CMAKE_BINARY_DIR}/LockscopeConfigVersion.cmake
    DESTINATION ${package})
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/cmake/lockscope.pc.in ${CMAKE_BINARY_DIR}/lockscope.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lockscope.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
