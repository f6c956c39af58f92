// The bytes of a question on their way out: the JSON text with each placeholder replaced by its attachment in base64, made
// while it is sent. Its length is known before; no attachment is ever held whole.
import type { Attachment } from '../../domain/diagnosis/attachment.ts';
import { AppError } from '../../domain/errors.ts';

type QuestionBody = { readonly sizeBytes: number; readonly open: () => AsyncIterable<Uint8Array> };
type Piece = Uint8Array | Attachment;

/** A multiple of 3, so that the base64 of the pieces is that of the whole. */
const PIECE_BYTES = 3 * 16_384;

/** The placeholders must stand in the text in the order of the map, each once, and hold nothing that JSON escapes. */
export function makeQuestionBody(jsonText: string, attachments: ReadonlyMap<string, Attachment>): QuestionBody {
  const pieces: Piece[] = [];
  let rest = jsonText;
  for (const [placeholder, attachment] of attachments) {
    const start = rest.indexOf(placeholder);
    if (start < 0) throw new Error('a placeholder is missing in the question');
    pieces.push(Buffer.from(rest.slice(0, start)), attachment);
    rest = rest.slice(start + placeholder.length);
  }
  pieces.push(Buffer.from(rest));
  return {
    sizeBytes: pieces.reduce((sum, piece) => sum + sentBytes(piece), 0),
    open: async function* () {
      for (const piece of pieces) {
        if (piece instanceof Uint8Array) yield piece;
        else yield* base64Of(piece);
      }
    },
  };
}

function sentBytes(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : 4 * Math.ceil(piece.sizeBytes / 3);
}

async function* base64Of(attachment: Attachment): AsyncGenerator<Uint8Array> {
  let carried: Uint8Array = new Uint8Array();
  let seenBytes = 0;
  for await (const chunk of attachment.open()) {
    seenBytes += chunk.length;
    if (seenBytes > attachment.sizeBytes) break;
    const bytes = carried.length > 0 ? Buffer.concat([carried, chunk]) : chunk;
    const wholeBytes = bytes.length - (bytes.length % 3);
    for (let start = 0; start < wholeBytes; start += PIECE_BYTES) {
      yield toBase64(bytes.subarray(start, Math.min(start + PIECE_BYTES, wholeBytes)));
    }
    // A copy: the opener of the attachment may reuse its buffer.
    carried = Uint8Array.from(bytes.subarray(wholeBytes));
  }
  // The length was announced; a body of another one would be taken for a part of the next request.
  if (seenBytes !== attachment.sizeBytes) throw new AppError('internal', 'An attachment changed while it was read');
  if (carried.length > 0) yield toBase64(carried);
}

function toBase64(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'), 'latin1');
}
