# Reads "watch <pid> <signal> <later signal>" and "forget <pid>" lines from the process that started it.
# End of input means that this process has exited. The guard then ends every watched process: with the first
# signal, after five seconds with the later signal, and after five more with SIGKILL.
trap '' INT TERM HUP PIPE
watched=''
while read -r verb pid first later; do
  case "$verb" in
    watch) watched="$watched $pid:$first:$later" ;;
    forget)
      others=''
      for entry in $watched; do
        [ "${entry%%:*}" = "$pid" ] || others="$others $entry"
      done
      watched="$others"
      ;;
  esac
done

signal_all() {
  for entry in $watched; do
    signals="${entry#*:}"
    case "$1" in
      first) signal="${signals%%:*}" ;;
      later) signal="${signals#*:}" ;;
      *) signal=KILL ;;
    esac
    kill -s "$signal" "${entry%%:*}" 2>/dev/null
  done
}

wait_for_all() {
  rounds=50
  while [ "$rounds" -gt 0 ]; do
    alive=''
    for entry in $watched; do
      kill -0 "${entry%%:*}" 2>/dev/null && alive="$alive $entry"
    done
    watched="$alive"
    [ -n "$watched" ] || exit 0
    sleep 0.1
    rounds=$((rounds - 1))
  done
}

for step in first later kill; do
  signal_all "$step"
  wait_for_all
done
