// How far the evaluation is, for a person who waits: one line that is written over in a terminal, else a line at each quarter.

export type ProgressParts = {
  readonly isTerminal: boolean;
  /** Of what, where it is not all. */
  readonly what?: string;
  readonly write: (text: string) => void;
};

export function makeProgress({ isTerminal, what, write }: ProgressParts): (done: number, of: number) => void {
  const begin = what === undefined ? '' : `${what} `;
  if (isTerminal) return (done, of) => write(`\r${begin}${done} of ${of}${done === of ? '\n' : ''}`);
  return (done, of) => {
    const quarter = Math.floor((4 * done) / of);
    if (quarter > Math.floor((4 * (done - 1)) / of)) write(`${begin}${done} of ${of} (${25 * quarter} %)\n`);
  };
}
