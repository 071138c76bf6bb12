# CHM_SANITIZE: "address,undefined" or "thread"; applied to everything we compile.
set(CHM_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
if(CHM_SANITIZE)
  add_compile_options(-fsanitize=${CHM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CHM_SANITIZE})
endif()
