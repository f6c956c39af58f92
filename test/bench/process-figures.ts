// Figures of the operating system about another process: processor time and memory.
import { readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const KIBIBYTE = 1024;

/** Returns user and system time of the process and its threads, in milliseconds. */
export function cpuMs(pid: number): number {
  return ticksMs(pid, [11, 12]);
}

/** Returns the time of its children that have ended, in milliseconds. */
export function childrenCpuMs(pid: number): number {
  return ticksMs(pid, [13, 14]);
}

function ticksMs(pid: number, places: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (places.reduce((sum, place) => sum + Number(fields[place]), 0) * 1000) / TICKS_PER_SECOND;
}

export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS');
}

/** Returns the peak memory of the process since `resetPeak`. */
export function peakBytes(pid: number): number {
  return statusBytes(pid, 'VmHWM');
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function statusBytes(pid: number, name: string): number {
  const [, kibibytes = '0'] =
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * KIBIBYTE;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
