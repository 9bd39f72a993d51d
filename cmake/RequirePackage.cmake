# require_package(fmt)
#
# find_package() for a library that installed targets link to: whoever uses the
# installed package has to find it too, so its config file asks for it again.
macro(require_package name)
  find_package(${name} REQUIRED)
  set_property(GLOBAL APPEND PROPERTY HELIOSTAT_PACKAGES ${name})
endmacro()
