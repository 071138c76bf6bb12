# Warnings for our own code; CHM_WERROR (on in every developer preset) makes them errors.
option(CHM_WERROR "Treat warnings as errors" OFF)

add_library(chm_flags INTERFACE)
target_compile_features(chm_flags INTERFACE cxx_std_20)
target_compile_options(chm_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wformat=2 -Wcast-qual -Wimplicit-fallthrough
  # Optimising, g++ 12 takes what lies in variants and optionals for uninitialised.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-maybe-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond> $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
  $<$<BOOL:${CHM_WERROR}>:-Werror>)
# With -O2, or -O1 under the thread sanitizer, g++ 12 finds null pointers inside std::string that are not there.
if(NOT CHM_SANITIZE STREQUAL "thread")
  target_compile_options(chm_flags INTERFACE $<$<CONFIG:Debug>:-Wnull-dereference>)
endif()
