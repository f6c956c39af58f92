// Values that are sealed in one piece: each is bound to a context, the identity of its row.
import { AppError } from '../../../domain/errors.ts';
import type { ChunkPlace } from '../../../platform/crypto.ts';
import type { Sealing } from './secrets.ts';

export function wholePlace(context: readonly unknown[]): ChunkPlace {
  return { context: JSON.stringify(context), index: 0, isLast: true };
}

export function sealWhole(sealing: Sealing, text: string, context: readonly unknown[]): Buffer {
  return sealing.seal(Buffer.from(text), wholePlace(context));
}

/** Throws `internal` if it was changed, or was sealed for another row. */
export function openWhole(sealing: Sealing, sealed: Uint8Array, context: readonly unknown[]): string {
  const plain = sealing.open(sealed, wholePlace(context));
  if (plain === undefined) throw new AppError('internal', 'A stored name is damaged: it is not what was stored');
  return plain.toString('utf8');
}
