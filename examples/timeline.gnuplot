# What lived over time, from the columns of mprof plot: totals as a line, parts stacked below.
#
#     mprof plot --data=mprof.columns
#     gnuplot -e "data='mprof.columns'" timeline.gnuplot > timeline.svg
#
# Another output: -e "output='timeline.pdf'" -e "terminal='pdfcairo'".

if (!exists("data")) data = "mprof.columns"
if (!exists("terminal")) terminal = "svg size 1000,520 dynamic"
set terminal @terminal
if (exists("output")) set output output

set datafile missing "?"
set key outside right top noenhanced
set xlabel "seconds since recording began"
set ylabel "live bytes"
set format y "%.1s %cB"
set xrange [0:*]
set yrange [0:*]
set grid y

# Column 4 and those behind it are parts; the sum of N of them is the upper end of part N.
parts = int(system("awk '/^seconds moment/ { print gsub(/\" \"/, \"\") + 1 }' " . data))
upper(n) = sum [i = 4:n] column(i)

plot for [n = parts + 3:4:-1] data index 1 using 1:(upper(n)) with filledcurves x1 \
         title columnheader(n), \
     data index 0 using 1:2 with lines linecolor rgb "black" linewidth 1.5 title "all that lived"
# SPDX-License-Identifier: MIT
