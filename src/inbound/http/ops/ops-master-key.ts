// The master key over HTTP: it is replaced, and how far that is. No answer contains a key.
import { present } from '../../../domain/present.ts';
import type { RotateMasterKey, ShownRotation } from '../../../flows/admin/rotate-master-key.ts';
import type { MasterKeyAnswer } from '../../../wire/master-key.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

type MasterKeyParts = { readonly rotateMasterKey: RotateMasterKey };

export function makeMasterKeyHandlers({ rotateMasterKey }: MasterKeyParts): Handlers<'show' | 'rotate'> {
  return {
    async show(_req, res) {
      res.json(asAnswer(await rotateMasterKey.show()));
    },

    async rotate(_req, res) {
      res.json(asAnswer(await rotateMasterKey.rotate(accessOf(res))));
    },
  };
}

function asAnswer({ progress, remains }: ShownRotation): MasterKeyAnswer {
  return present({
    replacedAt: progress?.startedAt.toISOString(),
    values: progress?.total,
    sealed: progress?.done,
    endedAt: progress?.endedAt?.toISOString(),
    remains,
  });
}
