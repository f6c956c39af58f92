// The state of the feeds through which the events of a site arrive. All engines share it, so that one of them maintains each feed.

export const PAUSE_KINDS = ['intake', 'model', 'write', 'all'] as const;
/** `intake`: no encounter is resolved; `model`: no model is called; `write`: nothing is written. Events are accepted all the same. */
export type PauseKind = (typeof PAUSE_KINDS)[number];

export type Pause = { readonly site: string; readonly what: PauseKind; readonly reason: string; readonly since: Date };

/** `current` returns the pauses of all sites at once: it is called often. */
export type Pauses = {
  readonly current: () => Promise<readonly Pause[]>;
  readonly pause: (site: string, what: PauseKind, reason: string) => Promise<void>;
  /** False if it was not paused. Resuming `all` ends every pause of the site. */
  readonly resume: (site: string, what: PauseKind) => Promise<boolean>;
};

const FEED_KINDS = ['amqp', 'subscription', 'push', 'poll', 'catch-up'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

export type FeedAlarm =
  /** No event has come, although `events.expect` says that one should. */
  | 'silent'
  /** The EHR has stopped sending heartbeats. */
  | 'no-heartbeat'
  /** The EHR refuses the Subscription of the engine, or has switched it off. */
  | 'subscription'
  /** A search for missed events is not possible. */
  | 'catch-up'
  /** The broker has the queue or the exchange with other settings. */
  | 'topology';

export type Feed = {
  readonly site: string;
  readonly kind: FeedKind;
  /** The engine has known the site since then; older changes are not searched for. */
  readonly firstSeenAt: Date;
  readonly lastEventAt?: Date;
  /** Everything that changed until then was searched. */
  readonly searchedUntil?: Date;
  /** `Subscription/7`; for `amqp` the bindings of its queue. */
  readonly subscription?: string;
  readonly subscriptionStatus?: string;
  /** A hash of the Subscription's content: a different hash means that it must be written again. */
  readonly subscriptionDigest?: string;
  readonly lastEventNumber?: number;
  readonly lastHeartbeatAt?: Date;
  readonly alarm?: FeedAlarm;
  readonly alarmSince?: Date;
  /** What happened and what to do, in plain words. */
  readonly alarmMessage?: string;
};

export type FeedChange = Partial<
  Omit<Feed, 'site' | 'kind' | 'firstSeenAt' | 'alarm' | 'alarmSince' | 'alarmMessage' | 'subscription'>
> & {
  /** `null`: the Subscription is gone. */
  readonly subscription?: string | null;
  readonly alarm?: { readonly kind: FeedAlarm; readonly message: string } | null;
};

export type Feeds = {
  readonly all: () => Promise<readonly Feed[]>;
  readonly of: (site: string) => Promise<readonly Feed[]>;
  /** Creates the feed if it does not exist. Times and event numbers only grow: a late call changes nothing. */
  readonly note: (site: string, kind: FeedKind, change: FeedChange) => Promise<Feed>;
};
