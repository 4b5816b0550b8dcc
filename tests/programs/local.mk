# What test_symbols looks names up in: always with debug information and optimised.
SYMBOLS_PROGRAM_FLAGS = -g -O2 -fno-ipa-icf -fno-lto
check_PROGRAMS += \
	tests/programs/symbols_c \
	tests/programs/symbols_cxx \
	tests/programs/symbols_twin
tests_programs_symbols_c_SOURCES = \
	tests/programs/symbols.h \
	tests/programs/symbols_c.c \
	tests/programs/symbols_c_two.c
tests_programs_symbols_c_CFLAGS = $(SYMBOLS_PROGRAM_FLAGS)
tests_programs_symbols_c_LDFLAGS = -Wl,--build-id
tests_programs_symbols_cxx_SOURCES = tests/programs/symbols.h tests/programs/symbols_cxx.cc
tests_programs_symbols_cxx_CXXFLAGS = $(SYMBOLS_PROGRAM_FLAGS)
tests_programs_symbols_cxx_LDFLAGS = -Wl,--build-id
tests_programs_symbols_twin_SOURCES = tests/programs/symbols.h tests/programs/symbols_twin.c
tests_programs_symbols_twin_CFLAGS = $(SYMBOLS_PROGRAM_FLAGS)
tests_programs_symbols_twin_LDFLAGS = -Wl,--build-id
