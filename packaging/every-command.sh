#!/bin/sh
# Runs one command of every kind on the sample, as an analyst would: every-command.sh FOLDER [PROGRAM]
# It shows that an installation has all it needs. What each command prints is in FOLDER/log.txt.
set -eu
folder=$1
program=${2:-forensicviewer}
mkdir -p "$folder"
cd "$folder"
: >log.txt

# Exit code 1 says that the command finished and found something.
run() {
    echo "forensicviewer $*" >>log.txt
    code=0
    "$program" "$@" >>log.txt 2>&1 || code=$?
    [ $code -le 1 ] || { tail -20 log.txt >&2; echo "forensicviewer $1 ended with $code" >&2; exit 1; }
    count=$((count + 1))
}

count=0
run sample sample
images=sample/MFC2019_Sample
good=sample/submissions/p-good_1_MFC2019-image
noisy=sample/submissions/p-noisy_1_MFC2019-image
trial=MFC2019_1002
run info $images $good
run trials $images --task manipulation
run validate $images $good
run validate $images $good --rules plan
run measure $images $good --trial "$trial"
run claim $images $good --trial "$trial" --metric MCC --value 0.5 --steps 1
run ruling $images $good $noisy --leave-out "$trial" --out ruling.csv
run render $images $good --trial "$trial" --out trial.png
run report trial $images $good --trial "$trial" --out trial.html
run report dispute $images $good --trial "$trial" --metric MCC --value 0.5 --out dispute.pdf
run report submission $images $good --out submission.html
run case write $images $good --trial "$trial" --out case.fvcase
run case verify case.fvcase
run case open case.fvcase --into case
run review init review $images --task manipulation --judge Ada --judge Bo --second 0.5
run review status review
run review verify review
run report review review --out review.html
run qa $images $good --out qa
run duplicates $images --task manipulation --out duplicates
run score all $images $good --out scores-mfc --html
run score imdl sample/IMDL_Sample sample/submissions/IMDL_good --out scores-imdl
run score imdl sample/IMDL_Sample sample/submissions/IMDL_noisy --out scores-imdl-noisy
run results-grid scores-imdl scores-imdl-noisy --published --out grid.html
run score genai sample/GenAI_Sample sample/submissions/GenAI25_image_d_good_v1_cutoff-50.csv --out scores-genai --html
run genai template system.md
run rules
run plugins
for made in ruling.csv trial.png trial.html dispute.pdf submission.html case.fvcase review.html qa/suspects.csv \
    duplicates/duplicates.csv scores-mfc/summary.json scores-imdl/imdl_summary.csv grid.html scores-genai/genai_summary.csv system.md; do
    [ -s "$made" ] || { echo "$made was not written" >&2; exit 1; }
done
echo "$count commands work"
