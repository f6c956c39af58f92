// A line for each figure: the measured value and its limit.

export type Figure = {
  readonly name: string;
  readonly value: string;
  /** The limit that the project promises; absent: none. */
  readonly bound?: string;
  readonly isKept?: boolean;
};

export function printFigures(title: string, figures: readonly Figure[]): void {
  console.log(`\n${title}`);
  for (const { name, value, bound, isKept } of figures) {
    const verdict = bound === undefined ? '' : `  ${isKept ? 'kept' : 'NOT KEPT'}: ${bound}`;
    console.log(`  ${name.padEnd(62)} ${value.padStart(10)}${verdict}`);
  }
}

const MEBIBYTE = 1_048_576;

export function mebibytes(sizeBytes: number): string {
  return `${(sizeBytes / MEBIBYTE).toFixed(1)} MiB`;
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)} x`;
}
