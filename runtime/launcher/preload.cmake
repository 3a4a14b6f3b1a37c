# jostle-preload/: what launchers name as jostle-preload/$PLATFORM/libjostle.so in LD_PRELOAD (docs/adr/0069). glibc's
# loader puts the platform in: a 64-bit program gets libjostle.so, a 32-bit one an empty library, since
# a name without a file of its class makes the loader print an error on the program's output.
# Where no 32-bit library can be made there is no folder, and launchers name libjostle.so itself.
set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/jostle-preload)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  return()
endif()
set(empty ${folder}/i686/libjostle.so)
if(NOT EXISTS ${empty})
  file(MAKE_DIRECTORY ${folder}/i686)
  execute_process(
    COMMAND ${CMAKE_C_COMPILER} -m32 -nostdlib -shared -Wl,-z,noexecstack -o ${empty} -x c /dev/null
    OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT EXISTS ${empty})
  message(STATUS "no 32-bit library can be made here: the loader of 32-bit programs will complain of the preload")
  file(REMOVE_RECURSE ${folder})
  return()
endif()

# glibc's names of the processor, up to 2.36 also by its features; ".": where a shell put nothing in.
foreach(platform x86_64 haswell xeon_phi .)
  file(MAKE_DIRECTORY ${folder}/${platform})
  cmake_path(SET library NORMALIZE ${folder}/${platform}/libjostle.so)
  if(SKBUILD) # a wheel holds no links
    add_custom_command(TARGET jostle POST_BUILD
      COMMAND ${CMAKE_STRIP} -o ${library} $<TARGET_FILE:jostle> VERBATIM)
  else()
    cmake_path(RELATIVE_PATH CMAKE_LIBRARY_OUTPUT_DIRECTORY BASE_DIRECTORY ${folder}/${platform} OUTPUT_VARIABLE up)
    file(CREATE_LINK ${up}/libjostle.so ${library} SYMBOLIC)
  endif()
endforeach()
install(DIRECTORY ${folder} DESTINATION ${JST_LIBDIR} USE_SOURCE_PERMISSIONS COMPONENT native)
