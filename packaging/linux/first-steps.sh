#!/bin/sh
# Runs after the self-extracting file has unpacked itself: says how to begin, changes nothing.
here=$(pwd)
echo "forensicviewer is unpacked in $here"
echo "    $here/forensicviewer-gui          opens the window"
echo "    $here/forensicviewer --help       lists the commands"
echo "    $here/forensicviewer --selftest   checks that everything works here"
echo "To remove it, delete that folder. Settings, reviews and sessions stay in your home folder."
