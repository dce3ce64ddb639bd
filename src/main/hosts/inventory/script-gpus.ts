/** Field sets for nvidia-smi, richest first: one field that a driver doesn't know fails the whole query. */
export const NVIDIA_FIELD_SETS = [
  ['index', 'uuid', 'name', 'memory.total', 'driver_version', 'power.limit', 'compute_cap', 'mig.mode.current'],
  ['index', 'uuid', 'name', 'memory.total', 'driver_version', 'power.limit', 'compute_cap'],
  ['index', 'uuid', 'name', 'memory.total', 'driver_version', 'power.limit'],
  ['index', 'name', 'memory.total'],
  ['index', 'name'],
] as const

export const GPUS_SCRIPT = `
section gpus
for path in /sys/bus/pci/devices/*; do
  [ -r "$path/class" ] || continue
  read -r class < "$path/class" || continue
  case $class in 0x03*|0x12*) read -r vendor < "$path/vendor" && echo "pci $vendor" ;; esac
done
smi=$(command -v nvidia-smi 2>/dev/null)
for path in /usr/bin/nvidia-smi /usr/local/bin/nvidia-smi /usr/lib/wsl/lib/nvidia-smi /run/current-system/sw/bin/nvidia-smi; do
  [ -z "$smi" ] && [ -x "$path" ] && smi=$path
done
if [ -n "$smi" ]; then
  echo "nvidia_smi $smi"
  for fields in ${NVIDIA_FIELD_SETS.map((fields) => fields.join(',')).join(' ')}; do
    said=$(limited 30 "$smi" --query-gpu="$fields" --format=csv,noheader,nounits 2>&1); code=$?
    if [ $code -eq 0 ]; then
      echo "nvidia_fields $fields"
      printf '%s\\n' "$said" | sed 's/^/nvidia /'
      case $said in *Enabled*) limited 30 "$smi" -L 2>/dev/null | sed 's/^/nvidia_list /' ;; esac
      break
    fi
    case $code$said in *"not a valid field"*) continue ;; esac
    echo "nvidia_code $code"
    printf '%s\\n' "$said" | head -n 5 | sed 's/^/nvidia_error /'
    break
  done
fi
amd=$(command -v amd-smi 2>/dev/null)
[ -z "$amd" ] && [ -x /opt/rocm/bin/amd-smi ] && amd=/opt/rocm/bin/amd-smi
if [ -n "$amd" ]; then
  echo "amd_smi $amd"
  limited 30 "$amd" list --json 2>&1 | head -c 200000 | sed 's/^/amd_list /'; echo
  limited 30 "$amd" static --asic --vram --driver --limit --json 2>&1 | head -c 400000 | sed 's/^/amd_static /'; echo
fi
`
