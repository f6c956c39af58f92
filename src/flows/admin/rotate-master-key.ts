// Replaces the master key for an operator. It is in the audit trail before anything is changed.
import type { Access } from '../../domain/people/caller.ts';
import type { Audit } from '../../ports/audit.ts';
import type { KeyRotation, RotationProgress } from '../../ports/key-rotation.ts';
import { byCaller } from '../people/by-caller.ts';

export type ShownRotation = {
  /** Undefined: the master key was never replaced. */
  readonly progress?: RotationProgress;
  /** What the operator has to do, in a sentence. */
  readonly remains?: string;
};

export type RotateMasterKey = {
  /** Throws `conflict` if it cannot be replaced now; then nothing was changed. */
  readonly rotate: (access: Access) => Promise<ShownRotation>;
  readonly show: () => Promise<ShownRotation>;
};

type Parts = { readonly keyRotation: KeyRotation; readonly audit: Pick<Audit, 'append'> };

export function makeRotateMasterKey({ keyRotation, audit }: Parts): RotateMasterKey {
  const withRest = async (progress: RotationProgress | undefined): Promise<ShownRotation> => {
    const remains = await keyRotation.remains();
    return { ...(progress && { progress }), ...(remains !== undefined && { remains }) };
  };
  return {
    async rotate(access) {
      await audit.append(byCaller(access, { action: 'key.rotate-master' }));
      return withRest(await keyRotation.rotate());
    },
    show: async () => withRest(await keyRotation.progress()),
  };
}
