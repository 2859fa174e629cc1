"""Where a number comes from: the machine, the versions, the code. Light to import: nothing runs here."""
