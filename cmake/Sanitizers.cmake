# CHM_SANITIZE: "address,undefined" or "thread"; applied to everything we compile.
set(CHM_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
if(CHM_SANITIZE)
  add_compile_options(-fsanitize=${CHM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CHM_SANITIZE})
endif()

# Coverage for libFuzzer in our libraries; the targets of tests/fuzz link its driver.
if(CHM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "CHM_FUZZ needs clang, not ${CMAKE_CXX_COMPILER}; the fuzz preset sets it")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
