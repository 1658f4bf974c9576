#!/usr/bin/env bash
# Ranks of OpenMPI: each a shard, without a line of MPI in Supple.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
need mpirun
mpirun --allow-run-as-root --oversubscribe -n 3 "$SUPPLE" batch jobs.jsonl -o mpi > .stdout 2> .stderr || fail "mpirun: $(tail -3 .stderr)"
err "shard 1 of 3 (OMPI_COMM_WORLD_RANK)" "shard 3 of 3 (OMPI_COMM_WORLD_RANK)"
same mpi 2
finish
