import { describe, expect, test } from '@jest/globals';
import type { Encounter, Media, Patient } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../../src/domain/chart/ehr-capabilities.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { makeFindRecordings } from '../../../src/flows/run-steps/find-recordings.ts';
import type { Ehr, SearchOrder } from '../../../src/ports/ehr.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { someCapabilities } from '../../fakes/ehr-capabilities.ts';
import { aSite } from '../../support/chart-facts.ts';

const encounter: Encounter = { resourceType: 'Encounter', id: 'e-1', status: 'finished', class: { code: 'AMB' } };
const patient: Patient = { resourceType: 'Patient', id: 'p-1' };
const withMedia = someCapabilities({ types: { Media: {} } });

function aMedia(id: string, changes: Partial<Media> = {}): Media {
  return {
    resourceType: 'Media',
    id,
    status: 'completed',
    subject: { reference: 'Patient/p-1' },
    encounter: { reference: 'Encounter/e-1' },
    content: { contentType: 'audio/wav', url: `Binary/${id}` },
    ...changes,
  };
}

function aDocument(id: string) {
  return {
    resourceType: 'DocumentReference' as const,
    id,
    status: 'current' as const,
    subject: { reference: 'Patient/p-1' },
    content: [{ attachment: { contentType: 'audio/wav', url: `Binary/${id}` } }],
    context: { encounter: [{ reference: 'Encounter/e-1' }] },
  };
}

function aSiteThatLooksAt(...from: LoadedSite['settings']['recording']['from']): LoadedSite {
  const site = aSite();
  const ehr = {
    baseUrl: 'https://ehr.example.org/fhir',
    auth: { type: 'none' as const },
    maxConcurrentWrites: 2,
    headers: {},
  };
  return { ...site, settings: { ...site.settings, ehr, recording: { ...site.settings.recording, from } } };
}

type Search = (order: SearchOrder) => Awaited<ReturnType<Ehr['search']>>;

/** An EHR that answers searches as the test says, and what it was asked. */
function anEhr(search: Search, capabilities: EhrCapabilities = withMedia) {
  const asked: SearchOrder[] = [];
  const ehr: Ehr = {
    ...makeFakeEhr({ capabilities }),
    async search(order) {
      asked.push(order);
      return search(order);
    },
  };
  const find = makeFindRecordings({ ehrs: { of: () => ehr } });
  const look = (site = aSiteThatLooksAt('DocumentReference', 'Media')) =>
    find({ site, encounter, patient }, new AbortController().signal);
  return { asked, look };
}

const nothing = { resources: [], isComplete: true } as const;

describe('the recordings of an encounter', () => {
  test('are found among documents and media, in the order in which they were made', async () => {
    const ehr = makeFakeEhr({
      capabilities: withMedia,
      resources: [
        { ...aDocument('late'), date: '2026-03-02T12:00:00Z' },
        aMedia('second', { createdDateTime: '2026-03-02T11:00:00Z' }),
        aMedia('first', { createdDateTime: '2026-03-02T10:00:00Z' }),
        aMedia('other', { encounter: { reference: 'Encounter/e-2' } }),
      ],
    });
    const find = makeFindRecordings({ ehrs: ehr.ehrs });
    const site = aSiteThatLooksAt('DocumentReference', 'Media');
    const { sources, omissions } = await find({ site, encounter, patient }, new AbortController().signal);
    expect(sources.map(({ reference }) => reference)).toEqual([
      'Media/first',
      'Media/second',
      'DocumentReference/late',
    ]);
    expect(omissions).toEqual([]);
  });

  test('are looked for only where the site says', async () => {
    const { asked, look } = anEhr(() => nothing);
    await look(aSiteThatLooksAt('Media'));
    expect(asked).toEqual([{ type: 'Media', parameters: { encounter: 'Encounter/e-1' }, maxResources: 500 }]);
  });

  test('are those of this encounter alone, even where the EHR ignores what it is asked', async () => {
    const { look } = anEhr(({ type }) => ({
      resources: type === 'Media' ? [aMedia('m-1'), aMedia('m-2', { encounter: { reference: 'Encounter/e-2' } })] : [],
      isComplete: true,
    }));
    expect((await look()).sources.map(({ reference }) => reference)).toEqual(['Media/m-1']);
  });

  test('have their times read in the time zone of the hospital where they have no offset', async () => {
    // In Chicago the first is 16:00 UTC.
    const { look } = anEhr(({ type }) => ({
      resources:
        type === 'Media'
          ? [
              aMedia('local', { createdDateTime: '2026-03-02T10:00:00' }),
              aMedia('utc', { createdDateTime: '2026-03-02T15:00:00Z' }),
            ]
          : [],
      isComplete: true,
    }));
    expect((await look()).sources.map(({ reference }) => reference)).toEqual(['Media/utc', 'Media/local']);
  });

  test('may be more than are looked through: that is said', async () => {
    const { look } = anEhr(({ type }) => ({ resources: [], isComplete: type === 'Media' }));
    expect((await look()).omissions).toEqual([
      'Not all DocumentReferences were searched: there are more than 500, or the EHR does not show them all',
    ]);
  });
});

describe('an EHR that cannot search by encounter', () => {
  test.each([
    ['patient', ['identifier', 'patient', 'subject']],
    ['subject', ['subject']],
  ])('is asked for all of the patient, by %s, and the encounter is looked for here', async (name, parameters) => {
    const searchParameters = new Set(parameters);
    const capabilities = someCapabilities({ types: { Media: { searchParameters } } });
    const media = [aMedia('m-1'), aMedia('m-2', { encounter: { reference: 'Encounter/e-2' } })];
    const { asked, look } = anEhr(() => ({ resources: media, isComplete: true }), capabilities);
    expect((await look(aSiteThatLooksAt('Media'))).sources).toHaveLength(1);
    expect(asked).toMatchObject([{ parameters: { [name]: 'Patient/p-1' } }]);
  });

  test('is asked by patient where it claims the other and refuses it', async () => {
    const { asked, look } = anEhr(({ parameters }) => {
      if ('encounter' in parameters) throw new AppError('ehrRefused', 'mercy: the EHR refuses (400)');
      return { resources: [aMedia('m-1')], isComplete: true };
    });
    const { sources, omissions } = await look(aSiteThatLooksAt('Media'));
    expect(sources).toHaveLength(1);
    expect(omissions).toEqual([]);
    expect(asked.map(({ parameters }) => Object.keys(parameters))).toEqual([['encounter'], ['patient']]);
  });

  test('and not by patient cannot be looked through', async () => {
    const capabilities = someCapabilities({ types: { Media: { searchParameters: new Set(['_id']) } } });
    const { asked, look } = anEhr(() => nothing, capabilities);
    await expect(look(aSiteThatLooksAt('Media'))).rejects.toMatchObject({ code: 'ehrRefused' });
    expect(asked).toEqual([]);
  });

  test.each([
    ['says nothing of itself', someCapabilities({ isKnown: false, types: { Media: undefined } })],
    [
      'does not say by what it searches',
      someCapabilities({ types: { Media: { searchParameters: new Set<string>() } } }),
    ],
  ])('is not assumed where it %s', async (_, capabilities) => {
    const { asked, look } = anEhr(() => nothing, capabilities);
    await look(aSiteThatLooksAt('Media'));
    expect(asked).toMatchObject([{ parameters: { encounter: 'Encounter/e-1' } }]);
  });
});

describe('what cannot be looked through', () => {
  const refuseMedia: Search = ({ type }) => {
    if (type === 'Media') throw new AppError('ehrRefused', 'mercy: the EHR does not let us read Media (403)');
    return { resources: [aDocument('d-1')], isComplete: true };
  };

  test('is left out and said, while the rest is found', async () => {
    expect(await anEhr(refuseMedia).look()).toMatchObject({
      sources: [{ reference: 'DocumentReference/d-1' }],
      omissions: ['Medias cannot be searched for recordings: mercy: the EHR does not let us read Media (403)'],
    });
  });

  test('because the EHR does not offer it is not even asked for', async () => {
    const { asked, look } = anEhr(() => nothing, someCapabilities());
    expect((await look()).omissions).toEqual([
      'Medias cannot be searched for recordings: the EHR offers no search for them (CapabilityStatement)',
    ]);
    expect(asked.map(({ type }) => type)).toEqual(['DocumentReference']);
  });

  test('is an error where it is all that there is', async () => {
    await expect(anEhr(refuseMedia).look(aSiteThatLooksAt('Media'))).rejects.toMatchObject({
      code: 'ehrRefused',
      message: expect.stringContaining('403'),
    });
  });

  test.each(['ehrUnavailable', 'ehrAnswer'] as const)(
    'only just now (%s) is not taken for an empty chart',
    async (code) => {
      const { look } = anEhr(({ type }) => {
        if (type === 'Media') throw new AppError(code, 'mercy: not now');
        return { resources: [aDocument('d-1')], isComplete: true };
      });
      await expect(look()).rejects.toMatchObject({ code });
    },
  );

  test('because of a mistake of ours is never passed over', async () => {
    const { look } = anEhr(() => {
      throw new TypeError('mistake');
    });
    await expect(look()).rejects.toThrow('mistake');
  });

  test('because the work was stopped is no omission', async () => {
    const stop = new AbortController();
    const stopped: Search = ({ type }) => {
      if (type !== 'Media') return nothing;
      stop.abort(new AppError('cancelled', 'stopped'));
      throw new AppError('cancelled', 'stopped');
    };
    const ehr: Ehr = { ...makeFakeEhr({ capabilities: withMedia }), search: async (order) => stopped(order) };
    const find = makeFindRecordings({ ehrs: { of: () => ehr } });
    const site = aSiteThatLooksAt('DocumentReference', 'Media');
    await expect(find({ site, encounter, patient }, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
  });
});
