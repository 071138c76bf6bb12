# One folder, one library: chm_module(NAME DIR d HEADERS … SOURCES … [USES …] [LINKS …])
#   USES   our own modules below this one (the layering of ARCHITECTURE.md; tools/check-layers checks the includes)
#   LINKS  third-party libraries, private: a library is seen by the files that wrap it and by nobody else
function(chm_module name)
  cmake_parse_arguments(M "" "DIR" "HEADERS;SOURCES;USES;LINKS" ${ARGN})
  list(TRANSFORM M_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/${M_DIR}/)
  list(TRANSFORM M_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${M_DIR}/)
  list(TRANSFORM M_USES PREPEND chm_)
  add_library(chm_${name} STATIC ${M_SOURCES})
  target_sources(chm_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${M_HEADERS})
  target_compile_features(chm_${name} PUBLIC cxx_std_20)  # for the header check, which sees only what is public
  target_include_directories(chm_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(chm_${name} PUBLIC ${M_USES} fmt::fmt tl::expected PRIVATE ${M_LINKS} chm_flags)
endfunction()
