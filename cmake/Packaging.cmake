# What `cmake --install` and the .deb (`cpack`) contain: the one binary, its completions and man page (both made by
# the binary itself, so that they cannot differ from it), the configuration examples, README and licence.
include(GNUInstallDirs)

if(TARGET chanmirror)
  install(TARGETS chanmirror RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# A sanitized binary is for tests; running it here would only slow them down.
if(TARGET chanmirror AND NOT CHM_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(share ${PROJECT_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${share})

  function(chm_completion shell file folder)
    add_custom_command(
      OUTPUT ${share}/${file}
      COMMAND sh -c "\"$1\" completion \"$2\" >\"$3\"" sh $<TARGET_FILE:chanmirror> ${shell} ${share}/${file}
      DEPENDS chanmirror
      COMMENT "Completions for ${shell}"
      VERBATIM)
    install(FILES ${share}/${file} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder})
  endfunction()
  chm_completion(bash chanmirror bash-completion/completions)
  chm_completion(zsh _chanmirror zsh/site-functions)
  chm_completion(fish chanmirror.fish fish/vendor_completions.d)

  add_custom_command(
    OUTPUT ${share}/chanmirror.1
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/make-man $<TARGET_FILE:chanmirror> ${share}/chanmirror.1
    DEPENDS chanmirror ${PROJECT_SOURCE_DIR}/tools/make-man
    COMMENT "Manual page"
    VERBATIM)
  install(FILES ${share}/chanmirror.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

  add_custom_target(chanmirror_share ALL
    DEPENDS ${share}/chanmirror ${share}/_chanmirror ${share}/chanmirror.fish ${share}/chanmirror.1)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/config/examples/
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING PATTERN "*.yml")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME chanmirror)
set(CPACK_PACKAGE_CONTACT "chanmirror developers <chanmirror@localhost.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Keeps a whole, consistent local copy of the conda channels that a GPU research group needs, solves
environments on it, remembers the answers, and hands out lockfiles and client configuration that
reproduce them anywhere, with the network cut off.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Under umask 077 the folders would be closed to everyone but root, once installed.
file(WRITE ${PROJECT_BINARY_DIR}/package_permissions.cmake [[
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
     OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
]])
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/package_permissions.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries' packages and versions, read from the binary
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
include(CPack)
