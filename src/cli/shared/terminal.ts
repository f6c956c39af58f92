// Who sits at the other end: a person at a screen, or a program.
import { createInterface } from 'node:readline/promises';

export type Terminal = {
  /** The result goes to a screen whose user did not ask for no colours. */
  readonly isColored: boolean;
  /** How many characters fit in a line of it. Absent where the result goes elsewhere. */
  readonly columns?: number | undefined;
  /** Asks, and gives what was typed. Undefined where nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly input: AsyncIterable<Uint8Array>;
  /** Says what is going on, until the next call or the result. Undefined where nobody looks at stderr. */
  readonly tellProgress: ((text: string) => void) | undefined;
  /** Control-C from now on aborts the signal, once, instead of ending all at once; until `stop` is called. */
  readonly heedInterrupt: () => { readonly signal: AbortSignal; readonly stop: () => void };
};

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'once' | 'off'>;

/** To the beginning of the line, and nothing on it. */
const CLEAR_LINE = '\r\u001b[K';

export function makeTerminal(process: Streams, environment: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdin, stdout, stderr } = process;
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
  const isScreen = stderr.isTTY === true;
  return {
    isColored,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    ask: stdin.isTTY === true && isScreen ? ask : undefined,
    input: stdin,
    tellProgress: isScreen ? (text) => void stderr.write(`${CLEAR_LINE}${text}`) : undefined,
    heedInterrupt: () => heedInterrupt(process),
  };
}

function heedInterrupt(process: Streams): ReturnType<Terminal['heedInterrupt']> {
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
