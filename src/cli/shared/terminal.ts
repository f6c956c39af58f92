// The streams of the process: whether a person at a terminal or a program reads them.
import { createInterface } from 'node:readline/promises';

export type Terminal = {
  /** True if stdout is a terminal and NO_COLOR is not set. */
  readonly isColored: boolean;
  /** Characters per line of the terminal. Undefined if stdout is not a terminal. */
  readonly columns?: number | undefined;
  /** Asks a question and resolves to what was typed. Undefined if there is no terminal to ask at. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly input: AsyncIterable<Uint8Array>;
  /** Shows progress until the next call or the result. Undefined if stderr is not a terminal. */
  readonly tellProgress: ((text: string) => void) | undefined;
  /** Until `stop` is called, the first Control-C aborts the signal instead of ending the process. */
  readonly catchInterrupt: () => { readonly signal: AbortSignal; readonly stop: () => void };
};

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'once' | 'off'>;

/** Moves to the beginning of the line and clears it. */
const CLEAR_LINE = '\r\u001b[K';

export function makeTerminal(process: Streams, environment: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdin, stdout, stderr } = process;
  const isColored = stdout.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  // Questions go to stderr, because stdout is for results.
  const ask = async (question: string): Promise<string> => {
    const lines = createInterface({ input: stdin, output: stderr });
    // Control-D closes the input without an answer; without this the question would never resolve.
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
  const isScreen = stderr.isTTY === true;
  return {
    isColored,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    ask: stdin.isTTY === true && isScreen ? ask : undefined,
    input: stdin,
    tellProgress: isScreen ? (text) => void stderr.write(`${CLEAR_LINE}${text}`) : undefined,
    catchInterrupt: () => catchInterrupt(process),
  };
}

function catchInterrupt(process: Streams): ReturnType<Terminal['catchInterrupt']> {
  const interrupted = new AbortController();
  const abort = () => interrupted.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  const stop = () => {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
  };
  return { signal: interrupted.signal, stop };
}
