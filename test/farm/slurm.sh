# A Slurm on this machine alone, for tests: start_slurm FOLDER, stop_slurm. Sourced. Root, as slurmd wants it; nothing outside
# of FOLDER is touched. docs/farm.md shows the same set-up for trying things out.
start_slurm() {
	local folder=$1 port=$((20000 + RANDOM % 20000)) cores
	cores=$(nproc)
	slurm_folder=$folder
	mkdir -p "$folder/state" "$folder/spool"
	head -c 1024 /dev/urandom > "$folder/munge.key"
	chmod 400 "$folder/munge.key"
	chmod 755 "$folder"
	munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
		--log-file="$folder/munge.log" --seed-file="$folder/munge.seed" || return 1
	cat > "$folder/slurm.conf" << END
ClusterName=supple
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
	export SLURM_CONF=$folder/slurm.conf
	slurmctld -c -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" || return 1
	for ((i = 0; i < 100; ++i)); do
		sinfo -h -o %t 2> /dev/null | grep -q idle && return 0
		sleep 0.2
	done
	tail -n 5 "$folder"/*.log
	return 1
}

stop_slurm() {
	local name
	for name in slurmd slurmctld munge; do
		[ -s "$slurm_folder/$name.pid" ] && kill "$(cat "$slurm_folder/$name.pid")" 2> /dev/null
	done
	for ((i = 0; i < 50; ++i)); do
		[ -e "$slurm_folder/slurmd.pid" ] || [ -e "$slurm_folder/slurmctld.pid" ] || break
		sleep 0.1
	done
}
