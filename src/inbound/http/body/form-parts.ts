// Splits a multipart body into parts on demand: a byte of the request is read only when its part is read. busboy's Dicer finds
// the boundaries; malformed parts that busboy's high-level parser ignores are errors here.
import { Dicer } from '@fastify/busboy';
import { AppError } from '../../../domain/errors.ts';
import type { BodyPrint } from './body-print.ts';
import type { RawPartHeaders } from './part-headers.ts';

/** The source of the bytes; `next` resolves with undefined at the end. Its errors pass through unchanged. */
export type ByteSource = { readonly next: () => Promise<Uint8Array | undefined> };

export type FormPartBytes = {
  readonly headers: RawPartHeaders;
  /** The bytes of the part, readable once. Unread bytes are discarded when the next part is requested. */
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
};

type OpenPart = { readonly headers: RawPartHeaders; readonly stream: Dicer.PartStream };

/** Larger than the accepted number, so that too many headers are refused rather than cut off. */
const MAX_HEADER_PAIRS = 64;

export async function* splitParts(
  source: ByteSource,
  boundary: string,
  print?: BodyPrint,
): AsyncGenerator<FormPartBytes, void, undefined> {
  const splitter = new FormSplitter(source, boundary, print);
  for (let part = await splitter.nextPart(); part !== undefined; part = await splitter.nextPart()) {
    print?.beginPart(part.headers);
    const bytes = splitter.bytesOf(part);
    yield { headers: part.headers, bytes };
    // Not `for await`: a reader that leaves its loop early ends the generator before all bytes are read.
    await splitter.skip(part);
  }
  print?.end();
}

class FormSplitter {
  readonly #source: ByteSource;
  readonly #dicer: Dicer;
  readonly #print: BodyPrint | undefined;
  readonly #begun: OpenPart[] = [];
  #awaitsHeaders = false;
  #isClosed = false;
  #isBroken = false;

  constructor(source: ByteSource, boundary: string, print: BodyPrint | undefined) {
    this.#source = source;
    this.#print = print;
    this.#dicer = new Dicer({ boundary, maxHeaderPairs: MAX_HEADER_PAIRS });
    this.#dicer.on('part', (stream) => {
      // The previous part ended within its headers.
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

  /** Resolves with undefined when the whole body has arrived and its last boundary was found. */
  async nextPart(): Promise<OpenPart | undefined> {
    for (;;) {
      const part = this.#begun.shift();
      if (part !== undefined) return part;
      if (!(await this.#feed())) return undefined;
    }
  }

  async *bytesOf({ stream }: OpenPart): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const bytes = this.#take(stream);
      if (bytes !== undefined) yield bytes;
      else if (await hasEnded(stream)) return;
      else await this.#feedPart();
    }
  }

  async skip({ stream }: OpenPart): Promise<void> {
    while (!stream.readableEnded) {
      if (this.#take(stream) === undefined && !(await hasEnded(stream))) await this.#feedPart();
    }
  }

  /** Every byte of a part passes here, also one that is discarded. Undefined if there are none at the moment. */
  #take(stream: Dicer.PartStream): Uint8Array | undefined {
    const bytes: unknown = stream.read();
    if (!(bytes instanceof Uint8Array)) return undefined;
    this.#print?.bytes(bytes);
    return bytes;
  }

  async #feedPart(): Promise<void> {
    if (!(await this.#feed())) throw unfinished();
  }

  /** Resolves with false when the body is complete. `write` finds boundaries and headers synchronously. */
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

/** A stream ends one tick after its last bytes were read. */
async function hasEnded(stream: Dicer.PartStream): Promise<boolean> {
  await new Promise((resolve) => process.nextTick(resolve));
  return stream.readableEnded;
}

function unfinished(): AppError {
  return new AppError('invalidRequest', 'The form is malformed: the form or one of its parts is incomplete');
}
