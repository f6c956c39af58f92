// Takes an uploaded recording for an encounter; its bytes are stored while they arrive.
import { AppError } from '../../../domain/errors.ts';
import { isResourceId, type UploadDetails } from '../../../domain/event/upload.ts';
import type { TakeUpload } from '../../../flows/intake/take-upload.ts';
import type { Sites } from '../../../ports/sites.ts';
import type { ReceivedRecording, ReceiveRecording } from '../body/audio-upload.ts';
import { validate } from '../body/validate.ts';
import type { ApiCall, OperationResult } from '../server/api-call.ts';
import { toDetails, uploadFields } from './ehr-schemas.ts';
import { findOwnSite } from './ehr-sites.ts';

export type UploadHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly takeUpload: TakeUpload;
  readonly receiveRecording: ReceiveRecording;
};

export function makeUploadHandler({ sites, takeUpload, receiveRecording }: UploadHandlerParts) {
  return async (call: ApiCall): Promise<OperationResult> => {
    const { req, caller, signal } = call;
    const { organization } = caller;
    const site = findOwnSite(sites, String(req.params['site']), organization);
    const id = String(req.params['id']);
    if (!isResourceId(id)) throw new AppError('invalidRequest', 'The id of the encounter is not a valid FHIR id');
    const upload = await receiveRecording(req, { organization, signal, keepsCopy: false });
    try {
      const form = await readForm(call, upload);
      const { runId } = await takeUpload({ site, organization, encounter: `Encounter/${id}`, form }, signal);
      return { kind: 'json', status: 202, body: { runId } };
    } finally {
      await upload.dispose();
    }
  };
}

/** Fields can come before and after the recording. Those before it are validated before the recording is stored. */
async function readForm({ describe }: ApiCall, { recording, fieldsSoFar, whole }: ReceivedRecording) {
  const read = (fields: ReadonlyMap<string, string>): UploadDetails => {
    const details = toDetails(validate(uploadFields, Object.fromEntries(fields)));
    const template = details.noteType ?? details.template;
    describe({ ...(details.language && { language: details.language }), ...(template && { template }) });
    return details;
  };
  const early = read(recording.isReopenable ? await whole : fieldsSoFar);
  return { recording, known: early, whole: async () => read(await whole) };
}
