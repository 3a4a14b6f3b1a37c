# The package of the repository's host: tools/package_site.sh, which has filled JOSTLE_ROOT, calls
# cpack with this file, and these in its environment: JOSTLE_ROOT, JOSTLE_PYTHON, JOSTLE_VERSION.

set(CPACK_PACKAGE_NAME jostle-site)
set(CPACK_PACKAGE_FILE_NAME jostle-site) # DEB-DEFAULT and RPM-DEFAULT are put in its place
set(CPACK_PACKAGE_VENDOR "the jostle project")
set(CPACK_PACKAGE_CONTACT "the jostle project <jostle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Profiles every job of a cluster: the repository's host")
set(CPACK_PACKAGE_DESCRIPTION "The command jostle with all that it needs in Python, and the services that take the
profiles of nodes, show them in a browser, and append digests to the output of jobs. None is started until the
operator does.")
set(CPACK_INSTALL_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/copy.cmake)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /)

# Wheels bring their libraries, and need of the system what manylinux_2_28 allows.
get_filename_component(JOSTLE_PYTHON_NAME $ENV{JOSTLE_PYTHON} NAME)
set(CPACK_PACKAGE_VERSION $ENV{JOSTLE_VERSION})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${JOSTLE_PYTHON_NAME}, libc6 (>= 2.28), libstdc++6")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm
  ${CMAKE_CURRENT_LIST_DIR}/conffiles)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd) # a third of the time of gzip

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP System)
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
set(CPACK_RPM_PACKAGE_REQUIRES "$ENV{JOSTLE_PYTHON}, glibc >= 2.28, libstdc++, shadow-utils")
set(CPACK_RPM_POST_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_LIST_DIR}/postinst)
set(CPACK_RPM_PRE_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_LIST_DIR}/prerm)
set(CPACK_RPM_USER_FILELIST "%config(noreplace) /etc/jostle/receive.toml"
  "%config(noreplace) /etc/jostle/site.conf")
# Folders that belong to the system.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /opt /usr /usr/bin /usr/lib /usr/lib/tmpfiles.d
  /usr/lib/sysusers.d /usr/lib/systemd /usr/lib/systemd/system /etc)
# Files stay as they were built: no scripts of this distribution that strip, compile or rewrite them.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none
%define __os_install_post %{nil}
%define _binary_payload w3.zstdio")
