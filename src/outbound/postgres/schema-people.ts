// The tables of people, sessions and tokens as the code sees them. The migration that makes a column documents it.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { GrantOrigin, PersonOrigin } from '../../domain/people/person.ts';
import type { Purpose } from '../../domain/people/purpose.ts';
import type { Grant, Role } from '../../domain/people/role.ts';
import type { NoticeChannel, NoticeKind } from '../../ports/notices.ts';
import type { SessionEnd, SessionKind, SignInWay } from '../../ports/person-sessions.ts';
import type { AttemptKind } from '../../ports/sign-in-attempts.ts';

type Time = ColumnType<Date, Date, Date>;
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** Read as a value, written as JSON. */
type Json<T> = ColumnType<T, string, string>;

export type PeopleTable = {
  id: string;
  position: GeneratedAlways<number>;
  name: string;
  email: string | null;
  origin: PersonOrigin;
  created_at: Generated<Date>;
  disabled_at: OptionalTime;
  last_seen_at: OptionalTime;
};

export type PersonGrantsTable = {
  person_id: string;
  role: Role;
  site: string;
  practitioner: string | null;
  origin: GrantOrigin;
  granted_by: string;
  granted_at: Generated<Date>;
};

export type FirstAdminTable = { is_there: Generated<boolean>; person_id: string; at: Generated<Date> };

export type PersonIdentitiesTable = { issuer: string; subject: string; person_id: string; added_at: Generated<Date> };

export type PersonSessionsTable = {
  id: string;
  person_id: string;
  kind: SessionKind;
  way: SignInWay;
  secret_digest: Buffer;
  former_digest: Buffer | null;
  former_until: OptionalTime;
  purpose: Purpose | null;
  opened_site: string | null;
  opened_encounter: string | null;
  opened_patient: string | null;
  issuer: string | null;
  subject: string | null;
  provider_session: string | null;
  address: string;
  agent: string | null;
  created_at: Generated<Date>;
  last_used_at: Generated<Date>;
  idle_ms: number;
  ends_at: Time;
  ended_at: OptionalTime;
  ended_why: SessionEnd | null;
};

export type ServiceTokensTable = {
  id: string;
  position: GeneratedAlways<number>;
  label: string;
  grants: Json<readonly Grant[]>;
  purpose: Purpose | null;
  secret_digest: Buffer;
  made_by: string;
  created_at: Generated<Date>;
  expires_at: Time;
  revoked_at: OptionalTime;
  last_used_at: OptionalTime;
};

export type SignInAttemptsTable = {
  state_digest: Buffer;
  kind: AttemptKind;
  browser_digest: Buffer;
  details: Buffer;
  expires_at: Time;
};

export type UsedTokenIdsTable = { issuer: string; token_id: string; until: Time };

export type SignInLinksTable = {
  digest: Buffer;
  person_id: string;
  made_by: string;
  expires_at: Time;
  used_at: OptionalTime;
};

export type PersonPasskeysTable = {
  id: string;
  person_id: string;
  public_key: string;
  counter: number;
  transports: string[];
  label: string;
  created_at: Generated<Date>;
  last_used_at: OptionalTime;
};

export type PersonPasswordsTable = { person_id: string; hash: string; changed_at: Generated<Date> };

export type PersonSecondFactorsTable = {
  person_id: string;
  secret: Buffer;
  is_confirmed: Generated<boolean>;
  last_step: Generated<number>;
};

export type DeviceSignInsTable = {
  device_digest: Buffer;
  user_code_digest: Buffer;
  state: Generated<'pending' | 'approved' | 'denied'>;
  person_id: string | null;
  address: string;
  agent: string | null;
  interval_ms: number;
  polled_at: OptionalTime;
  expires_at: Time;
};

export type OpenedChartsTable = {
  id: string;
  position: GeneratedAlways<number>;
  run_id: string;
  site: string;
  actor: string;
  reason: Buffer;
  opened_at: Generated<Date>;
  ends_at: Time;
};

export type NoticesTable = {
  id: string;
  kind: NoticeKind;
  channel: NoticeChannel['kind'];
  recipient: string;
  site: string;
  run_id: string | null;
  details: Json<Readonly<Record<string, string>>>;
  created_at: Generated<Date>;
  due_at: OptionalTime;
  tries: Generated<number>;
  sent_at: OptionalTime;
  given_up_at: OptionalTime;
};

export type AuditEventsTable = {
  id: string;
  site: string;
  body: Json<object>;
  created_at: Generated<Date>;
  due_at: OptionalTime;
  tries: Generated<number>;
  sent_at: OptionalTime;
  given_up_at: OptionalTime;
};

export type PeopleTables = {
  people: PeopleTable;
  person_grants: PersonGrantsTable;
  first_admin: FirstAdminTable;
  person_identities: PersonIdentitiesTable;
  person_sessions: PersonSessionsTable;
  service_tokens: ServiceTokensTable;
  sign_in_attempts: SignInAttemptsTable;
  used_token_ids: UsedTokenIdsTable;
  sign_in_links: SignInLinksTable;
  person_passkeys: PersonPasskeysTable;
  person_passwords: PersonPasswordsTable;
  person_second_factors: PersonSecondFactorsTable;
  device_sign_ins: DeviceSignInsTable;
  opened_charts: OpenedChartsTable;
  notices: NoticesTable;
  audit_events: AuditEventsTable;
};
