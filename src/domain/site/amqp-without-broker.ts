// A site whose settings name a RabbitMQ exchange, in an engine that has no broker. Nothing fails then, and no event comes.
import type { SiteSettings } from './site.ts';

type ListeningSite = {
  readonly name: string;
  /** The engine itself connects the events of a trial site in another way. */
  readonly isTrial?: boolean;
  readonly settings: Pick<SiteSettings, 'events' | 'mode'>;
};

/** Undefined if the site expects nothing of RabbitMQ, or the engine is connected to one. Without a final full stop. */
export function whyNoAmqpEvents(site: ListeningSite, hasBroker: boolean): string | undefined {
  const { name, isTrial, settings } = site;
  if (hasBroker || isTrial || settings.mode === 'off' || settings.events.amqp === undefined) return undefined;
  return `${name} listens to RabbitMQ, and AMQP_URL is not set: no event can arrive from there`;
}
