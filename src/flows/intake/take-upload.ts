// A recording that a program hands over for an encounter: the patient is checked, the bytes are kept encrypted, and a run starts with
// them. Whoever is told that it was taken can rely on it; of what is refused, nothing is left.
import { AppError } from '../../domain/errors.ts';
import {
  type NamedPatient,
  sessionOfUpload,
  type UploadDetails,
  writeNamedPatient,
} from '../../domain/event/upload.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Recordings, StoredRecording } from '../../ports/recordings.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { checkPatient } from './check-patient.ts';

export type UploadedForm = {
  readonly recording: Recording;
  /** What was said before the recording. Where that can be read again, it is all. */
  readonly known: UploadDetails;
  /** All of it, once the recording was read to its end. Rejects where what comes behind it is not as it should be. */
  readonly whole: () => Promise<UploadDetails>;
};

export type UploadOffer = {
  readonly site: LoadedSite;
  /** Whose usage the run counts to. */
  readonly organization: string;
  /** `Encounter/123` */
  readonly encounter: string;
  readonly form: UploadedForm;
};

/**
 * Resolves once the recording and its run are kept: the same recording again gives the same run. Throws `invalidRequest` where the
 * patient is not named or is not the encounter's, `notFound` where the EHR has no such encounter, `conflict` where the session has
 * another recording already; also what the EHR, the store and the bytes throw.
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

type Kept = { readonly stored: StoredRecording; readonly sha256: string };
/** `isUrgent`: an emergency, as far as anybody has asked. */
type Complete = Kept & { readonly session: string | undefined; readonly isUrgent: boolean };

export function makeTakeUpload({ recordings, inbox, ehrs, runtime, onAccepted }: TakeUploadParts): TakeUpload {
  /** Retention deletes what cannot be removed now; that it could not must not hide why the upload failed. */
  const removeQuietly = (id: string): Promise<void> => recordings.remove(id).catch(() => undefined);

  async function keepWhole(offer: UploadOffer, signal: AbortSignal): Promise<Complete> {
    const { known, recording, whole } = offer.form;
    // As early as can be: nobody sends 100 MB to hear that the patient is another one.
    const isKnown = known.patient !== undefined || recording.isReopenable;
    const early = isKnown ? await check(offer, known.patient, signal) : undefined;
    const first = await keep(offer, known, recording.open());
    try {
      const details = await whole();
      const isUnchanged = JSON.stringify(details.patient) === JSON.stringify(known.patient);
      const { isUrgent } = early !== undefined && isUnchanged ? early : await check(offer, details.patient, signal);
      return { ...(await keepAgain(offer, first, details)), session: details.session, isUrgent };
    } catch (thrown) {
      await removeQuietly(first.stored.id);
      throw thrown;
    }
  }

  async function check({ site, encounter }: UploadOffer, patient: NamedPatient | undefined, signal: AbortSignal) {
    if (site.settings.upload.identityCheck === 'off') return { isUrgent: false };
    return checkPatient({ ehr: ehrs.of(site), site, encounter, patient }, signal);
  }

  async function keep(offer: UploadOffer, details: UploadDetails, bytes: AsyncIterable<Uint8Array>): Promise<Kept> {
    const stored = storedAs(offer, details, runtime.makeUuid());
    const { sha256 } = await recordings.store(stored, bytes);
    return { stored, sha256 };
  }

  /** Fields that came behind the recording belong to it as well. */
  async function keepAgain(offer: UploadOffer, first: Kept, details: UploadDetails): Promise<Kept> {
    const { id } = first.stored;
    if (JSON.stringify(storedAs(offer, details, id)) === JSON.stringify(first.stored)) return first;
    const { open } = await recordings.open(id);
    const again = await keep(offer, details, open());
    await removeQuietly(id);
    return again;
  }

  return async (offer, signal) => {
    const { stored, sha256, isUrgent, session = sessionOfUpload(sha256) } = await keepWhole(offer, signal);
    // Where this throws, nobody knows if it was committed: the recording stays, and the sender who tries again finds the run or makes it.
    const accepted = await inbox.acceptUpload({
      site: offer.site.name,
      organization: offer.organization,
      source: 'upload',
      key: `upload:${offer.encounter}|${session}`,
      content: sha256,
      receivedAt: runtime.now(),
      encounter: offer.encounter,
      session,
      recordings: [`upload:${stored.id}`],
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
    if (runId === undefined) throw new AppError('internal', 'An upload was kept without a run');
    if (accepted.kind === 'accepted') onAccepted();
    return { runId };
  };
}

function storedAs({ site, encounter, form }: UploadOffer, details: UploadDetails, id: string): StoredRecording {
  const { patient, recordedAt, language, noteType, template, practitioner } = details;
  const isChecked = site.settings.upload.identityCheck === 'on';
  return {
    id,
    site: site.name,
    encounter,
    type: form.recording.type,
    ...(isChecked && patient !== undefined && { patient: writeNamedPatient(patient) }),
    ...(recordedAt !== undefined && { recordedAt }),
    ...(language !== undefined && { language }),
    ...(noteType !== undefined && { noteType }),
    ...(template !== undefined && { template }),
    ...(practitioner !== undefined && { practitioner }),
  };
}
