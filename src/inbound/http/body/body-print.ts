// Takes a hash of the body of a request while it is read, part by part: fields, file names and bytes. Its boundary is not in it, so that a
// client that sends the same form again, with another boundary, has the same hash. The bytes themselves are not kept.
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RawPartHeaders } from './part-headers.ts';

const prints = new WeakMap<IncomingMessage, BodyPrint>();

/** To be called before the body is read. */
export function startPrint(req: IncomingMessage): BodyPrint {
  const print = new BodyPrint();
  prints.set(req, print);
  return print;
}

/** The hash of the first request is taken while the second, which has the same body, is read. Undefined if it needs none. */
export function sharePrint(from: IncomingMessage, to: IncomingMessage): BodyPrint | undefined {
  const print = prints.get(from);
  if (print !== undefined) prints.set(to, print);
  return print;
}

/** Undefined for a request that needs no hash: its readers do not make one. */
export function printOf(req: IncomingMessage): BodyPrint | undefined {
  return prints.get(req);
}

export class BodyPrint {
  readonly #whole: Hash = createHash('sha256');
  #part: Hash | undefined;
  #digest: string | undefined;

  beginPart(headers: RawPartHeaders): void {
    this.#endPart();
    this.#whole.update(`part ${JSON.stringify(headers['content-disposition'] ?? [])}\n`);
  }

  /** Bytes of the part that was begun last, or of a body without parts. */
  bytes(bytes: Uint8Array): void {
    this.#part ??= createHash('sha256');
    this.#part.update(bytes);
  }

  /** The body is complete. */
  end(): void {
    this.#endPart();
    this.#digest ??= this.#whole.digest('hex');
  }

  /** Undefined while the body is not complete. */
  get digest(): string | undefined {
    return this.#digest;
  }

  #endPart(): void {
    if (this.#part !== undefined) this.#whole.update(`bytes ${this.#part.digest('hex')}\n`);
    this.#part = undefined;
  }
}
