# Puts the filled folder into the package as it is, links and all.
file(COPY $ENV{JOSTLE_ROOT}/ DESTINATION $ENV{DESTDIR}/ USE_SOURCE_PERMISSIONS)
