// Accepts a recording that a program uploads for an encounter: checks the patient, stores the bytes encrypted and creates a run. A confirmed
// upload is safely stored; nothing of a refused upload remains.
import { AppError } from '../../domain/errors.ts';
import {
  type NamedPatient,
  sessionOfUpload,
  type UploadDetails,
  writeNamedPatient,
} from '../../domain/event/upload.ts';
import { present } from '../../domain/present.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import { uploadReference } from '../../domain/recording/upload-reference.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Recordings, StoredRecording } from '../../ports/recordings.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { checkPatient } from './check-patient.ts';

export type UploadedForm = {
  readonly recording: Recording;
  /** The form fields before the recording; all fields if the form can be read again. */
  readonly known: UploadDetails;
  /** All fields, once the recording was read to its end. Rejects if the part after the recording is invalid. */
  readonly whole: () => Promise<UploadDetails>;
};

export type UploadOffer = {
  readonly site: LoadedSite;
  /** The organization to whose usage the run counts. */
  readonly organization: string;
  /** `Encounter/123` */
  readonly encounter: string;
  readonly form: UploadedForm;
};

/**
 * Resolves once the recording and its run are stored; the same recording gives the same run again. Throws `invalidRequest` if the patient is
 * missing or is not the encounter's, `notFound` if the EHR has no such encounter, `conflict` if the session has another recording already;
 * also what the EHR, the store and the bytes throw.
 */
export type TakeUpload = (offer: UploadOffer, signal: AbortSignal) => Promise<{ readonly runId: string }>;

type TakeUploadParts = {
  readonly recordings: Pick<Recordings, 'store' | 'open' | 'remove'>;
  readonly inbox: Pick<Inbox, 'acceptUpload'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
  /** Wakes the worker of this engine. */
  readonly onAccepted: () => void;
};

type StoredUpload = { readonly stored: StoredRecording; readonly sha256: string };
/** `isUrgent`: an emergency, if the encounter was checked. */
type CompleteUpload = StoredUpload & { readonly session: string | undefined; readonly isUrgent: boolean };

export function makeTakeUpload({ recordings, inbox, ehrs, runtime, onAccepted }: TakeUploadParts): TakeUpload {
  /** If the recording cannot be removed now, retention deletes it later; the error of the upload matters more. */
  const removeQuietly = (id: string): Promise<void> => recordings.remove(id).catch(() => undefined);

  async function storeWhole(offer: UploadOffer, signal: AbortSignal): Promise<CompleteUpload> {
    const { known, recording, whole } = offer.form;
    // Checked as early as possible, so that a wrong patient is refused before 100 MB are sent.
    const isNamed = known.patient !== undefined || recording.isReopenable;
    const early = isNamed ? await check(offer, known.patient, signal) : undefined;
    const first = await store(offer, known, recording.open());
    try {
      const details = await whole();
      const isUnchanged = JSON.stringify(details.patient) === JSON.stringify(known.patient);
      const { isUrgent } = early !== undefined && isUnchanged ? early : await check(offer, details.patient, signal);
      return { ...(await storeDetails(offer, first, details)), session: details.session, isUrgent };
    } catch (thrown) {
      await removeQuietly(first.stored.id);
      throw thrown;
    }
  }

  async function check({ site, encounter }: UploadOffer, patient: NamedPatient | undefined, signal: AbortSignal) {
    if (site.settings.upload.identityCheck === 'off') return { isUrgent: false };
    return checkPatient({ ehr: ehrs.of(site), site, encounter, patient }, signal);
  }

  async function store(
    offer: UploadOffer,
    details: UploadDetails,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<StoredUpload> {
    const stored = storedAs(offer, details, runtime.makeUuid());
    const { sha256 } = await recordings.store(stored, bytes);
    return { stored, sha256 };
  }

  /** Stores the recording again if fields after it have changed its details. */
  async function storeDetails(offer: UploadOffer, first: StoredUpload, details: UploadDetails): Promise<StoredUpload> {
    const { id } = first.stored;
    if (JSON.stringify(storedAs(offer, details, id)) === JSON.stringify(first.stored)) return first;
    const { open } = await recordings.open(id);
    const again = await store(offer, details, open());
    await removeQuietly(id);
    return again;
  }

  return async (offer, signal) => {
    const { stored, sha256, isUrgent, session = sessionOfUpload(sha256) } = await storeWhole(offer, signal);
    // If this throws, the run may have been committed: the recording stays, and a retry of the sender finds or creates the run.
    const accepted = await inbox.acceptUpload({
      site: offer.site.name,
      organization: offer.organization,
      source: 'upload',
      key: `upload:${offer.encounter}|${session}`,
      content: sha256,
      receivedAt: runtime.now(),
      encounter: offer.encounter,
      session,
      recordings: [uploadReference(stored.id)],
      isUrgent,
    });
    if (accepted.kind !== 'accepted') await removeQuietly(stored.id);
    if (accepted.kind === 'id-reused') {
      throw new AppError(
        'conflict',
        'This session of the encounter has another recording already: name another session',
      );
    }
    const [runId] = accepted.runs;
    if (runId === undefined) throw new AppError('internal', 'An upload was stored without a run');
    if (accepted.kind === 'accepted') onAccepted();
    return { runId };
  };
}

function storedAs({ site, encounter, form }: UploadOffer, details: UploadDetails, id: string): StoredRecording {
  const { patient, recordedAt, language, noteType, template, practitioner } = details;
  const isChecked = site.settings.upload.identityCheck === 'on';
  return present({
    id,
    site: site.name,
    encounter,
    type: form.recording.type,
    patient: isChecked ? patient && writeNamedPatient(patient) : undefined,
    recordedAt,
    language,
    noteType,
    template,
    practitioner,
  });
}
