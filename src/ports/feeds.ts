// What is known of the ways in which events of a site come: shared by all engines, so that one looks after each.

export const PAUSE_KINDS = ['intake', 'model', 'write', 'all'] as const;
/** `intake`: no encounter is looked at; `model`: nothing goes to the engines; `write`: nothing is written. Events are always taken. */
export type PauseKind = (typeof PAUSE_KINDS)[number];

export type Pause = { readonly site: string; readonly what: PauseKind; readonly reason: string; readonly since: Date };

/** All sites at once: it is asked often. */
export type Pauses = {
  readonly current: () => Promise<readonly Pause[]>;
  readonly pause: (site: string, what: PauseKind, reason: string) => Promise<void>;
  /** False where it was not paused. Resuming `all` ends every pause of the site. */
  readonly resume: (site: string, what: PauseKind) => Promise<boolean>;
};

const FEED_KINDS = ['amqp', 'subscription', 'push', 'poll', 'catch-up'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

export type FeedAlarm =
  /** Nothing came although `events.expect` says that it should. */
  | 'silent'
  /** The EHR sends no heartbeats any more. */
  | 'no-heartbeat'
  /** The EHR refuses our Subscription, or has switched it off. */
  | 'subscription'
  /** It cannot be searched for what we missed. */
  | 'catch-up'
  /** The broker has the queue or the exchange with other settings. */
  | 'topology';

export type Feed = {
  readonly site: string;
  readonly kind: FeedKind;
  /** Since when this site is known: nothing older is caught up. */
  readonly firstSeenAt: Date;
  readonly lastEventAt?: Date;
  /** Up to when everything was searched. */
  readonly searchedUntil?: Date;
  /** `Subscription/7`; of `amqp`, what its queue is bound to. */
  readonly subscription?: string;
  readonly subscriptionStatus?: string;
  /** Of what our Subscription says: another one is a new Subscription. */
  readonly subscriptionDigest?: string;
  readonly lastEventNumber?: number;
  readonly lastHeartbeatAt?: Date;
  readonly alarm?: FeedAlarm;
  readonly alarmSince?: Date;
  /** In plain words: what to do. */
  readonly alarmMessage?: string;
};

export type FeedChange = Partial<
  Omit<Feed, 'site' | 'kind' | 'firstSeenAt' | 'alarm' | 'alarmSince' | 'alarmMessage' | 'subscription'>
> & {
  /** `null`: it is gone. */
  readonly subscription?: string | null;
  readonly alarm?: { readonly kind: FeedAlarm; readonly message: string } | null;
};

export type Feeds = {
  readonly all: () => Promise<readonly Feed[]>;
  readonly of: (site: string) => Promise<readonly Feed[]>;
  /** Makes it where it is not there. Times and event numbers only grow; whoever is late changes nothing. */
  readonly note: (site: string, kind: FeedKind, change: FeedChange) => Promise<Feed>;
};
