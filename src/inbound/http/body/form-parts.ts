// A multipart body taken apart, pulled: no byte of the request is asked for before somebody wants the part that it belongs
// to. The search for boundaries is busboy's; what its high-level form skips in silence is an error here.
import { Dicer } from '@fastify/busboy';
import { AppError } from '../../../domain/errors.ts';
import type { RawPartHeaders } from './part-headers.ts';

/** Where the bytes come from; undefined once they are all there. Its throws go through unchanged. */
export type ByteSource = { readonly next: () => Promise<Uint8Array | undefined> };

export type FormPartBytes = {
  readonly headers: RawPartHeaders;
  /** The part's bytes, once. What is left unread is thrown away when the next part is asked for. */
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
};

type OpenPart = { readonly headers: RawPartHeaders; readonly stream: Dicer.PartStream };

/** More than are accepted, so that too many are seen, not cut. */
const MAX_HEADER_PAIRS = 64;

export async function* splitParts(
  source: ByteSource,
  boundary: string,
): AsyncGenerator<FormPartBytes, void, undefined> {
  const splitter = new FormSplitter(source, boundary);
  for (let part = await splitter.nextPart(); part !== undefined; part = await splitter.nextPart()) {
    const bytes = splitter.bytesOf(part);
    yield { headers: part.headers, bytes };
    // Not `for await`: the reader may have left its loop, which ends a generator before its bytes are through.
    await splitter.skip(part);
  }
}

class FormSplitter {
  readonly #source: ByteSource;
  readonly #dicer: Dicer;
  readonly #begun: OpenPart[] = [];
  #awaitsHeaders = false;
  #isClosed = false;
  #isBroken = false;

  constructor(source: ByteSource, boundary: string) {
    this.#source = source;
    this.#dicer = new Dicer({ boundary, maxHeaderPairs: MAX_HEADER_PAIRS });
    this.#dicer.on('part', (stream) => {
      // The part before this one ended within its headers.
      this.#isBroken ||= this.#awaitsHeaders;
      this.#awaitsHeaders = true;
      stream.on('header', (headers) => {
        this.#awaitsHeaders = false;
        this.#begun.push({ headers: headers as RawPartHeaders, stream });
      });
    });
    this.#dicer.on('finish', () => {
      this.#isClosed = true;
    });
  }

  /** Undefined once the whole body has come and was closed by its boundary. */
  async nextPart(): Promise<OpenPart | undefined> {
    for (;;) {
      const part = this.#begun.shift();
      if (part !== undefined) return part;
      if (!(await this.#feed())) return undefined;
    }
  }

  async *bytesOf({ stream }: OpenPart): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const bytes: unknown = stream.read();
      if (bytes instanceof Uint8Array) yield bytes;
      else if (await hasEnded(stream)) return;
      else await this.#feedPart();
    }
  }

  async skip({ stream }: OpenPart): Promise<void> {
    while (!stream.readableEnded) {
      if (stream.read() === null && !(await hasEnded(stream))) await this.#feedPart();
    }
  }

  async #feedPart(): Promise<void> {
    if (!(await this.#feed())) throw unfinished();
  }

  /** False once the body is complete. Boundaries and headers are found while `write` runs, not later. */
  async #feed(): Promise<boolean> {
    const bytes = await this.#source.next();
    if (bytes === undefined) {
      if (!this.#isClosed || this.#awaitsHeaders) throw unfinished();
      return false;
    }
    this.#dicer.write(bytes);
    if (this.#isBroken) throw unfinished();
    return true;
  }
}

/** A stream ends one tick after its last bytes were taken. */
async function hasEnded(stream: Dicer.PartStream): Promise<boolean> {
  await new Promise((resolve) => process.nextTick(resolve));
  return stream.readableEnded;
}

function unfinished(): AppError {
  return new AppError('invalidRequest', 'The form is malformed: it ends, or a part of it ends, before it is complete');
}
