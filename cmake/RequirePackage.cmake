# require_package(fmt)
#
# find_package() for a library that installed targets link to. The config file of the installed package finds it again for
# the projects that use the package.
macro(require_package name)
  find_package(${name} REQUIRED)
  set_property(GLOBAL APPEND PROPERTY HELIOSTAT_PACKAGES ${name})
endmacro()
