// The link of a recording was refused. Links of many EHRs are signed and end after a while, or when the key of their signatures changes: the
// chart may have a newer link to the same recording, so a refusal says nothing about the recording until the chart has been read again.
import { AppError } from '../errors.ts';

/** Statuses with which servers answer to links that have ended: Medplum 401 or 410, S3 and Azure 403, some storages 400 or 404. */
const ENDED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

export type LinkOwner =
  /** The site's EHR, to which credentials are sent. */
  | 'ehr'
  /** Another server that `recording.origins` lists. */
  | 'listed'
  /** Another server, which was not called. */
  | 'unlisted';

type LinkFacts = {
  readonly owner: LinkOwner;
  /** Of the link; absent if it is no address of a server. */
  readonly origin?: string | undefined;
  readonly status?: number | undefined;
  readonly cause?: unknown;
};

/** The message names the origin of the link at most: the rest of a signed link is a secret, and its path holds ids. */
export class LinkRefusal extends AppError {
  readonly owner: LinkOwner;
  readonly origin: string | undefined;
  /** Absent if the server was not called. */
  readonly status: number | undefined;

  constructor(code: 'notFound' | 'ehrRefused', message: string, { owner, origin, status, cause }: LinkFacts) {
    super(code, message, cause === undefined ? {} : { cause });
    this.owner = owner;
    this.origin = origin;
    this.status = status;
  }

  get mayHaveEnded(): boolean {
    return this.status !== undefined && ENDED_STATUSES.has(this.status);
  }

  /** The same refusal with a sentence about what else was tried. */
  withAddition(addition: string): LinkRefusal {
    const { owner, origin, status } = this;
    const code = this.code === 'notFound' ? 'notFound' : 'ehrRefused';
    return new LinkRefusal(code, `${this.message}. ${addition}`, { owner, origin, status, cause: this });
  }
}
