#!/usr/bin/env bash
# A real Slurm on this machine: an array job by 'supple batch submit', a task that is killed, srun.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
need slurmctld slurmd sbatch munged
[ "$(id -u)" -eq 0 ] || skip "slurmd wants root"
source "$here/slurm.sh"
trap 'stop_slurm; rm -rf "$folder"' EXIT
start_slurm "$folder/slurm" || { fail "Slurm does not start"; finish; }

# finished JOB: waits until no task of the job is left
finished() {
	for ((i = 0; i < 600; ++i)); do
		[ -z "$(squeue -h -j "$1" 2> /dev/null)" ] && return 0
		sleep 0.2
	done
	fail "job $1 does not end"
	squeue
}
job_of() { sed -n 's/.*batch job \([0-9]*\).*/\1/p' .stdout; }

mkdir array step
run 0 batch submit --slurm jobs.jsonl -o array --tasks 3 --cpus 1 -- --time=10 --comment=test
out "Submitted batch job"
[ "$(squeue -h -r -j "$(job_of)" | wc -l)" -ge 1 ] || fail "there is no such job"
finished "$(job_of)"
same array 2
ls array/.supple-batch/slurm/*_1.log > /dev/null || fail "a task has no log"

# a task that is cancelled at once leaves its work to the others, or to the next submission
mkdir lost
run 0 batch submit --slurm jobs.jsonl -o lost --tasks 2 --cpus 1
job=$(job_of)
for ((i = 0; i < 100; ++i)); do ls lost/.supple-batch/journal/*.jsonl > /dev/null 2>&1 && break; sleep 0.1; done
scancel --signal=KILL "${job}_1" 2> /dev/null
finished "$job"
run 0 batch submit --slurm jobs.jsonl -o lost --tasks 2 --cpus 1
finished "$(job_of)"
same lost 1

# steps of one job
srun -n 2 -c 1 --overcommit "$SUPPLE" batch jobs.jsonl -o step -q > .stdout 2> .stderr || fail "srun: $(tail -3 .stderr)"
same step 2
# what sbatch refuses is told
run 1 batch submit --slurm jobs.jsonl -o step -- --partition=nosuch
err "sbatch rejected the job"
finish
