// Who sits at the other end: a person at a screen, or a program.
import { createInterface } from 'node:readline/promises';

export type Terminal = {
  /** The result goes to a screen whose user did not ask for no colours. */
  readonly isColored: boolean;
  /** Asks, and gives what was typed. Undefined where nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly input: AsyncIterable<Uint8Array>;
};

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;

export function makeTerminal(
  { stdin, stdout, stderr }: Streams,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const isColored = stdout.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  // On stderr: stdout is for results alone.
  const ask = async (question: string): Promise<string> => {
    const lines = createInterface({ input: stdin, output: stderr });
    // Control-D closes the line without an answer, and the question would never end.
    const closed = new AbortController();
    lines.once('close', () => closed.abort());
    try {
      return await lines.question(question, { signal: closed.signal });
    } catch {
      return '';
    } finally {
      lines.close();
    }
  };
  return { isColored, ask: stdin.isTTY === true && stderr.isTTY === true ? ask : undefined, input: stdin };
}
