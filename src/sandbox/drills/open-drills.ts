// Runs the drills of the sandbox, one at a time: faults are set, a visit is finished, and the faults are removed when the visit's run has ended
// or the time is over. Nothing of a drill remains afterwards.
import { AppError } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Hospital } from '../hospital/open-hospital.ts';
import type { Drill, DrillName, DrillUnderWay, SandboxDrills } from '../sandbox-model.ts';
import type { DrillPlan } from './drill-plan.ts';
import { EHR_DRILLS } from './ehr-drills.ts';
import { ENGINE_DRILLS } from './engine-drills.ts';
import { makeTroubleMaker, type TroubleMaker, type TroubleParts } from './make-trouble.ts';
import { VENDOR_LIKE_DRILLS } from './vendor-like-drills.ts';

export type DrillParts = TroubleParts & {
  readonly hospital: Pick<Hospital, 'comeAgain' | 'finish'>;
  /** Deletes the engine's cached facts about the sandbox's EHR. */
  readonly refreshEhr: () => Promise<void>;
  /** The names of other live sites. */
  readonly otherSites: () => readonly string[];
  /** True if the encounter has runs and all of them have ended. */
  readonly hasEnded: (encounter: string) => Promise<boolean>;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause'>;
};

export type OpenedDrills = SandboxDrills & {
  /** Removes the faults now; resolves when the cached facts about the changed EHR are deleted, too. */
  readonly close: () => Promise<void>;
};

type Rehearsal = {
  readonly name: DrillName;
  readonly stop: AbortController;
  readonly over: Promise<void>;
  readonly underWay: () => DrillUnderWay | undefined;
};

export const DRILL_PLANS: readonly DrillPlan[] = [...EHR_DRILLS, ...VENDOR_LIKE_DRILLS, ...ENGINE_DRILLS];

const LOOK_EVERY_MS = 500;
const REFRESH_TRIES = 5;

export function openDrills(parts: DrillParts): OpenedDrills {
  const troubles = makeTroubleMaker(parts);
  let current: Rehearsal | undefined;

  function planNamed(name: DrillName): DrillPlan {
    const plan = DRILL_PLANS.find((one) => one.name === name);
    if (plan !== undefined) return plan;
    throw new AppError(
      'notFound',
      `There is no such drill. There are ${DRILL_PLANS.map((one) => one.name).join(', ')}`,
    );
  }

  return {
    list: () => DRILL_PLANS.map((plan) => asDrill(parts, plan)),
    underWay: () => current?.underWay(),
    async start(name) {
      const plan = planNamed(name);
      const { unavailable } = asDrill(parts, plan);
      if (unavailable !== undefined) throw new AppError('conflict', unavailable);
      if (current !== undefined) throw new AppError('conflict', busyWords(current.name));
      const { rehearsal, begun } = rehearse({ ...parts, troubles }, plan);
      current = rehearsal;
      void rehearsal.over.then(() => {
        current = undefined;
      });
      return begun;
    },
    async end() {
      const ending = current;
      ending?.stop.abort();
      await ending?.over;
    },
    async close() {
      const ending = current;
      ending?.stop.abort();
      troubles.end();
      await ending?.over;
    },
  };
}

function busyWords(name: DrillName): string {
  return `The drill ${name} is under way: wait until it has ended, or end it (npm run cli -- sandbox drill --stop)`;
}

function asDrill({ broker, otherSites }: DrillParts, plan: DrillPlan): Drill {
  const { scenario: _, trouble, overAfterSeconds: __, ...told } = plan;
  const others = trouble.at === 'ehr' ? [] : otherSites();
  if (others.length > 0) {
    const why = `It would meet the runs of ${others.join(', ')}, too. Rehearse it on an engine that has no site but the sandbox.`;
    return { ...told, unavailable: why };
  }
  if (trouble.at !== 'broker' || broker !== undefined) return told;
  return { ...told, unavailable: 'There is no broker: set AMQP_URL, and start again.' };
}

type RehearsalParts = DrillParts & { readonly troubles: TroubleMaker };

/** `begun` resolves once the visit is finished and all subscribers are notified. */
function rehearse(
  parts: RehearsalParts,
  plan: DrillPlan,
): { readonly rehearsal: Rehearsal; readonly begun: Promise<DrillUnderWay> } {
  const stop = new AbortController();
  const { promise: begun, resolve, reject } = Promise.withResolvers<DrillUnderWay>();
  let underWay: DrillUnderWay | undefined;
  const play = async (): Promise<void> => {
    underWay = await begin(parts, plan, stop.signal);
    resolve(underWay);
    await untilOver(parts, { plan, underWay }, stop.signal);
  };
  const over = play()
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    .then(async (thrown) => {
      await mend(parts, plan);
      // Once the drill has begun, this rejection has no listener.
      reject(thrown);
    });
  return { rehearsal: { name: plan.name, stop, over, underWay: () => underWay }, begun };
}

async function begin(parts: RehearsalParts, plan: DrillPlan, signal: AbortSignal): Promise<DrillUnderWay> {
  const { hospital, troubles, refreshEhr, runtime } = parts;
  const { trouble, maxSeconds, scenario: story } = plan;
  const startedAt = runtime.now();
  troubles.begin(trouble);
  if (changesEhr(plan)) await refreshEhr();
  requireGoing(signal);
  const { name } = await hospital.comeAgain(story);
  requireGoing(signal);
  const visit = await hospital.finish(name);
  requireGoing(signal);
  const endsAt = new Date(startedAt.getTime() + maxSeconds * 1_000);
  return { drill: asDrill(parts, plan), visit, startedAt, endsAt };
}

function requireGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError('conflict', 'The drill was ended before it had begun');
}

type Going = { readonly plan: DrillPlan; readonly underWay: DrillUnderWay };

async function untilOver(parts: RehearsalParts, { plan, underWay }: Going, signal: AbortSignal): Promise<void> {
  const { troubles, hasEnded, runtime } = parts;
  const { overAfterSeconds } = plan;
  const endMs = runtime.monotonicMs() + underWay.endsAt.getTime() - runtime.now().getTime();
  let wellAtMs: number | undefined;
  while (runtime.monotonicMs() < endMs) {
    await runtime.pause(LOOK_EVERY_MS, signal);
    const nowMs = runtime.monotonicMs();
    if (overAfterSeconds !== undefined && troubles.isMet()) wellAtMs ??= nowMs + overAfterSeconds * 1_000;
    // The faults stay for the whole time, so that a person can watch them even if the run is not affected.
    if (wellAtMs !== undefined && nowMs < wellAtMs) continue;
    if (wellAtMs !== undefined) troubles.end();
    if (await hasEnded(underWay.visit.encounter).catch(() => false)) return;
  }
}

/** Never throws. */
async function mend({ troubles, refreshEhr, runtime }: RehearsalParts, plan: DrillPlan): Promise<void> {
  troubles.end();
  if (!changesEhr(plan)) return;
  for (let tries = 1; tries <= REFRESH_TRIES; tries += 1) {
    const isRefreshed = await refreshEhr().then(
      () => true,
      () => false,
    );
    if (isRefreshed) return;
    await runtime.pause(LOOK_EVERY_MS, new AbortController().signal);
  }
}

function changesEhr({ trouble }: DrillPlan): boolean {
  return trouble.at === 'ehr' && trouble.changesEhr === true;
}
