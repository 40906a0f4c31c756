{sql}
