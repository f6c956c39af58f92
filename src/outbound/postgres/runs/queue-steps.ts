// Stores the results of the steps of a run, and how a run ends. One statement each: it happens seven times in a run, and either all of it
// is stored or nothing.
import { type RawBuilder, sql } from 'kysely';
import { type DraftFacts, draftRank } from '../../../domain/run/draft-facts.ts';
import { mergeVersions } from '../../../domain/run/merge-versions.ts';
import type { AttentionCause, OutcomeKind } from '../../../domain/run/outcome-event.ts';
import { RUN_STEPS, type RunReason, type RunVersions, type StepName } from '../../../domain/run/run.ts';
import type { FailedStep, RunEnd } from '../../../domain/run/run-end.ts';
import type { Claim, FinishedStep, Queue } from '../../../ports/queue.ts';
import { guarded } from '../errors.ts';
import type { RunStepsTable } from '../schema-runs.ts';
import { LET_GO, POKED } from './run-order.ts';
import { openResults, sealResult } from './run-rows.ts';
import { notOurs, type RunStorage, settled } from './run-storage.ts';

export function makeQueueSteps(storage: RunStorage): Pick<Queue, 'results' | 'finishStep' | 'goBack' | 'leave'> {
  return {
    results: (claim) => guarded(() => readResults(storage, claim)),
    finishStep: (claim, done, next) =>
      guarded(async () => {
        const { rows } = await finishStepQuery(storage, claim, done, next).execute(storage.db);
        const [row] = rows;
        if (row === undefined) throw notOurs();
        return { isCancelling: row.is_cancelling };
      }),
    goBack: (claim, to) =>
      guarded(async () => {
        const { rows } = await goBackQuery(storage, claim, to).execute(storage.db);
        if (rows.length === 0) throw notOurs();
      }),
    leave: (claim, end, outcome, lastStep) =>
      settled(async () => {
        const { rows } = await settleQuery(storage, { claim, end, outcome, lastStep }).execute(storage.db);
        if (rows.length === 0) throw notOurs();
      }),
  };
}

/** The condition that this claim still holds the run. */
function isOurs({ run, fence }: Claim): RawBuilder<boolean> {
  return sql<boolean>`id = ${run.id} and fence = ${fence} and status = 'running'`;
}

async function readResults({ db, results }: RunStorage, claim: Claim) {
  const { rows } = await sql<Pick<RunStepsTable, 'name' | 'result'>>`
    select step.name, step.result from (select id from runs where ${isOurs(claim)}) run
    left join run_steps step on step.run_id = run.id`.execute(db);
  if (rows.length === 0) throw notOurs();
  return openResults(results, claim.run, rows);
}

export function finishStepQuery<Name extends StepName>(
  { at, results }: Pick<RunStorage, 'at' | 'results'>,
  claim: Claim,
  done: FinishedStep<Name>,
  next: StepName | undefined,
) {
  const { outcome, draft } = done;
  return sql<{ is_cancelling: boolean }>`
    with mine as (
      update runs set step = ${next ?? null}, changed_at = ${at()}, ${versionsSet(versionsOf(done))}${draft === undefined ? sql`` : sql`, ${draftSet(draft)}`}
      where ${isOurs(claim)} returning *
    ),
    ${kept('mine', results, claim, done)}
    ${outcome === undefined ? sql`` : sql`, ${told('mine', outcome, at)}`}
    select is_cancelling from mine`;
}

function draftSet(draft: DraftFacts): RawBuilder<unknown> {
  return sql`draft = ${JSON.stringify(draft)}::jsonb, draft_order = ${-draftRank(draft)}`;
}

type Finished = Omit<FinishedStep, 'outcome' | 'draft'>;

/** Of the step and those that are stored with it. */
function versionsOf({ before = [], versions }: Finished): RunVersions {
  return [...before, { versions }].reduce<RunVersions>((all, one) => mergeVersions(all, one.versions), {});
}

/** A common table expression: the results of the step, and of those before it, for the run in the other expression. */
function kept(
  from: string,
  results: RunStorage['results'],
  { run }: Claim,
  { before = [], ...last }: Finished,
): RawBuilder<unknown> {
  const rows = [...before, last].map(({ name, startedAt, finishedAt, result, versions }) => {
    const sealed = result === undefined ? null : sealResult(results, run, name, result);
    return sql`(${name}, ${sealed === null ? 'skipped' : 'done'}, ${startedAt}::timestamptz, ${finishedAt}::timestamptz,
      ${sealed}::bytea, ${versions?.model ?? null}::text, ${versions?.answeredBy ?? null}::text, ${versions?.prompt ?? null}::text)`;
  });
  return sql`
    kept as (
      insert into run_steps as step (run_id, name, status, attempts, started_at, finished_at, result, model, answered_by, prompt)
      select run.id, done.name, done.status, 1, done.started_at, done.finished_at, done.result, done.model, done.answered_by, done.prompt
      from ${sql.ref(from)} run
      cross join (values ${sql.join(rows)}) done (name, status, started_at, finished_at, result, model, answered_by, prompt)
      on conflict (run_id, name) do update set status = excluded.status, attempts = step.attempts + 1,
        started_at = excluded.started_at, finished_at = excluded.finished_at, result = excluded.result,
        model = excluded.model, answered_by = excluded.answered_by, prompt = excluded.prompt, error_code = null, error_message = null
    )`;
}

/** As `mergeVersions` does it. */
function versionsSet({ engine, mapping, prompt, model, answeredBy, speech }: RunVersions = {}): RawBuilder<unknown> {
  return sql`
    answered_by = case when ${model ?? null}::text is null then answered_by else ${answeredBy ?? null} end,
    engine = coalesce(${engine ?? null}, engine), mapping = coalesce(${mapping ?? null}, mapping),
    prompt = coalesce(${prompt ?? null}, prompt), model = coalesce(${model ?? null}, model),
    speech = coalesce(${speech ?? null}, speech)`;
}

/** A common table expression: outcome events of the runs in the other one (rows of `runs`). A run at work asks for attention once. */
export function told(
  from: string,
  kind: OutcomeKind,
  at: RunStorage['at'],
  where = sql`true`,
  because: AttentionCause | undefined = kind === 'attention' ? 'red' : undefined,
): RawBuilder<unknown> {
  return sql`
    told as (
      insert into outbox (kind, site, event, created_at)
      select ${kind}, site, jsonb_strip_nulls(jsonb_build_object(
        'runId', id, 'site', site, 'encounter', encounter, 'patient', patient, 'session', nullif(session, ''),
        'status', status, 'resources', resources, 'because', ${because ?? null}::text,
        'occurredAt', to_char(${at()} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      )), ${at()} from ${sql.ref(from)} where ${where}
    )`;
}

function goBackQuery({ at }: RunStorage, claim: Claim, to: StepName) {
  return sql`
    with mine as (update runs set step = ${to}, changed_at = ${at()} where ${isOurs(claim)} returning id),
    ${forgotten('mine', to)}
    select 1 from mine`;
}

/** A common table expression: discards the results of these runs from that step on. The number of tries stays. */
export function forgotten(from: string, to: StepName): RawBuilder<unknown> {
  const names = RUN_STEPS.slice(RUN_STEPS.indexOf(to));
  return sql`
    forgotten as (
      update run_steps set status = 'pending', result = null, error_code = null, error_message = null
      where run_id in (select id from ${sql.ref(from)}) and name = any(${names}::text[])
    )`;
}

const RECALLED = 'recalled' satisfies RunReason;

/** The states at which a run has ended; `held` waits for a person, and is none. */
const ENDS = sql`('written', 'skipped', 'parked', 'rejected', 'retracted', 'cancelled')`;

/**
 * A common table expression: the parked runs of the session that a replay has written need no person any more. Documents that were left in
 * the chart of another patient still do. `changed_at` stays, because their state is the same: a live view must not report it again.
 */
const REPLAYED = sql`
  replayed as (
    update runs parked set replayed_by = settled.id from settled
    where settled.status = 'written' and settled.replay_of is not null
      and parked.site = settled.site and parked.encounter = settled.encounter and parked.session = settled.session
      and parked.serial < settled.serial and parked.status = 'parked' and parked.replayed_by is null
      and (parked.patient = settled.patient or parked.left_documents = '[]' and parked.reason is distinct from 'retract-by-hand')
  )`;

type Settling = {
  readonly claim: Claim;
  readonly end: RunEnd;
  readonly outcome?: OutcomeKind | undefined;
  readonly lastStep?: Finished | undefined;
};

export function settleQuery(
  { at, results }: Pick<RunStorage, 'at' | 'results'>,
  { claim, end, outcome, lastStep }: Settling,
) {
  const { reason, message, advice, until, waitsFor, countsAsTry, resources, left } = endParts(end);
  return sql`
    with looked as (
      select id, patient, is_cancelling, case
        when must_look_again and is_look and ${end.status} in ('waiting', 'skipped') then 'queued' else ${end.status} end as status
      from runs where ${isOurs(claim)} for update
    ),
    mine as (
      select id, patient as former_patient, case when is_cancelling and status in ('waiting', 'queued', 'held') then 'cancelled' else status end as next_status
      from looked
    ),
    settled as (
      update runs run set ${LET_GO}, status = next_status, are_results_purged = false, ${versionsSet({ ...(lastStep && versionsOf(lastStep)), ...end.versions })}, changed_at = ${at()},
        patient = coalesce(${end.patient ?? null}, run.patient),
        reason = ${unlessRecalled('reason', end, reason)}, message = ${unlessRecalled('message', end, message)},
        advice = ${unlessRecalled('advice', end, advice)},
        waits_for = case when next_status = 'waiting' then ${waitsFor} end,
        due_at = case next_status when 'waiting' then ${until}::timestamptz when 'queued' then ${at()} end,
        ready_at = case next_status when 'waiting' then ${until}::timestamptz when 'queued' then ${at()} end,
        tries = tries + ${countsAsTry ? 1 : 0},
        revision = revision + case when next_status in ('written', 'held') then 1 else 0 end,
        resources = case when next_status = ${end.status} then coalesce(${resources}::jsonb, resources) else resources end,
        left_documents = case when next_status = ${end.status} then coalesce(${left}::jsonb, left_documents) else left_documents end,
        step = case when next_status not in ${ENDS} then step end,
        ended_at = case when next_status in ${ENDS} then ${at()} end
      from mine where run.id = mine.id
      returning run.*, mine.former_patient
    ),
    -- Of a patient who was merged meanwhile those are next who came after it under the old name.
    gone as (select id, site, former_patient as patient from settled)
    ${end.status === 'written' ? sql`, ${REPLAYED}` : sql``}
    ${lastStep === undefined ? sql`` : sql`, ${kept('gone', results, claim, lastStep)}`}
    ${end.failedStep === undefined ? sql`` : sql`, ${failed(end.failedStep, at)}`}
    ${outcome === undefined || end.status === 'cancelled' ? sql`` : sql`, ${told('settled', outcome, at, sql`status = ${end.status}`)}`},
    ${POKED}
    select id from gone`;
}

/** The message of a recall stays. Null if the run ends otherwise. */
function unlessRecalled(
  column: 'reason' | 'message' | 'advice',
  end: RunEnd,
  value: string | null,
): RawBuilder<unknown> {
  return sql`case
    when next_status = 'cancelled' and is_cancelling and reason = ${RECALLED} then ${sql.ref(column)}
    when next_status = ${end.status} then ${value}
  end`;
}

function endParts(end: RunEnd) {
  const isWait = end.status === 'waiting';
  const said = 'message' in end ? end : undefined;
  return {
    reason: 'reason' in end ? end.reason : null,
    message: said?.message ?? null,
    advice: said?.advice ?? null,
    until: isWait ? end.until : null,
    waitsFor: (isWait ? end.waitsFor : undefined) ?? null,
    countsAsTry: isWait && end.countsAsTry,
    resources: 'resources' in end && end.resources ? JSON.stringify(end.resources) : null,
    left: 'left' in end && end.left ? JSON.stringify(end.left) : null,
  };
}

/** An earlier result of the step stays: that of `map` is what a clinician decided about. */
function failed({ name, startedAt, error }: FailedStep, at: RunStorage['at']): RawBuilder<unknown> {
  return sql`
    failed as (
      insert into run_steps as step (run_id, name, status, attempts, started_at, finished_at, error_code, error_message)
      select id, ${name}, 'failed', 1, ${startedAt}, ${at()}, ${error.code}, ${error.message} from gone
      on conflict (run_id, name) do update set status = 'failed', attempts = step.attempts + 1,
        started_at = excluded.started_at, finished_at = excluded.finished_at,
        error_code = excluded.error_code, error_message = excluded.error_message
    )`;
}
