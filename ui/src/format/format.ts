// Numbers and times as text, in the same form as in the commands.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A value with three digits. */
export function digits(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

export function bytes(value: number): string {
  let unit = 0;
  while (value >= 1023.5 && unit < UNITS.length - 1) { value /= 1024; unit += 1; }
  return unit === 0 ? `${Math.round(value)} B` : `${digits(value)} ${UNITS[unit]}`;
}

const two = (value: number) => String(value).padStart(2, '0');
export function seconds(value: number): string {
  if (value < 0) return `−${seconds(-value)}`;
  if (value === 0) return '0 s';
  if (value < 1e-6) return `${(value * 1e9).toFixed(0)} ns`;
  if (value < 1e-3) return `${digits(value * 1e6)} µs`;
  if (value < 1) return `${digits(value * 1e3)} ms`;
  if (value < 60) return `${digits(value)} s`;
  if (value < 600) return `${value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} s`;
  const whole = Math.round(value);
  const [minutes, hours, days] = [Math.floor(whole / 60), Math.floor(whole / 3600), Math.floor(whole / 86400)];
  if (!hours) return `${minutes} min ${two(whole % 60)} s`;
  return days ? `${days} d ${two(hours % 24)} h` : `${hours} h ${two(minutes % 60)} min`;
}

export function points(value: number): string {
  const text = Math.abs(value) >= 9.95 ? value.toFixed(0) : value.toFixed(1);
  return Number(text) === 0 ? '0' : text;
}

/** Returns an energy with its interval: `0.82 kWh (0.61 to 1.1)`, below 0.1 kWh in Wh. */
export function energyWithin(kwh: { value: number; low: number; high: number }): string {
  const [unit, factor] = kwh.value >= 0.1 ? ['kWh', 1] : ['Wh', 1000];
  return `${digits(factor * kwh.value)} ${unit} (${digits(factor * kwh.low)} to ${digits(factor * kwh.high)})`;
}

/** Core hours in the unit that a reader needs: `12.3 core-hours`, below a tenth `36.0 core-seconds`. */
export const coreHours = (hours: number): string =>
  hours >= 0.0995 || hours === 0 ? `${digits(hours)} core-hours` : `${digits(3600 * hours)} core-seconds`;

export function rate(value: number, unit: string): string {
  if (unit === 'bytes/s') return `${bytes(value)}/s`;
  if (unit === 's/s') return value >= 0.1 ? `${digits(value)} s/s` : `${seconds(value)}/s`;
  if (unit === '×') return `${value.toFixed(2)} ×`;
  return value >= 1e6 ? `${digits(value / 1e6)} M` : value >= 1e3 ? `${digits(value / 1e3)} k` : digits(value);
}

// Times are UTC, as in the commands, so a link means the same in every time zone.
const iso = (ns: number) => new Date(Math.round(ns / 1e6)).toISOString();
export const clock = (ns: number, fine = false): string => iso(ns).slice(11, fine ? 23 : 19);
export const day = (ns: number): string => iso(ns).slice(0, 16).replace('T', ' ');
/** An instant for a sheet. */
export const instant = (ns: number): string => iso(ns).replace('T', ' ').replace('Z', '');
export const count = (value: number, one: string, many = `${one}s`) =>
  `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
/** The ranks of a job; of a job without MPI its processes. */
export const ranksOrProcesses = ({ processes, ranks }: { processes: number; ranks: number }) =>
  ranks ? count(ranks, 'rank') : count(processes, 'process', 'processes');
