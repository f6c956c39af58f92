import { describe, expect, it } from '@jest/globals';
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
  it('recordings are found among documents and media, in the order of their times', async () => {
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

  it('only the resource types of the site’s settings are searched', async () => {
    const { asked, look } = anEhr(() => nothing);
    await look(aSiteThatLooksAt('Media'));
    expect(asked).toEqual([{ type: 'Media', parameters: { encounter: 'Encounter/e-1' }, maxResources: 500 }]);
  });

  it('only recordings of this encounter are returned, even if the EHR ignores the search parameters', async () => {
    const { look } = anEhr(({ type }) => ({
      resources: type === 'Media' ? [aMedia('m-1'), aMedia('m-2', { encounter: { reference: 'Encounter/e-2' } })] : [],
      isComplete: true,
    }));
    expect((await look()).sources.map(({ reference }) => reference)).toEqual(['Media/m-1']);
  });

  it('times without an offset are read in the time zone of the site', async () => {
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

  it('more recordings than one search returns are reported as an omission', async () => {
    const { look } = anEhr(({ type }) => ({ resources: [], isComplete: type === 'Media' }));
    expect((await look()).omissions).toEqual([
      'Not all DocumentReferences were searched: there are more than 500, or the EHR does not show them all',
    ]);
  });
});

describe('an EHR that cannot search by encounter', () => {
  it.each([
    ['patient', ['identifier', 'patient', 'subject']],
    ['subject', ['subject']],
  ])('all recordings of the patient are searched by %s, and filtered by encounter', async (name, parameters) => {
    const searchParameters = new Set(parameters);
    const capabilities = someCapabilities({ types: { Media: { searchParameters } } });
    const media = [aMedia('m-1'), aMedia('m-2', { encounter: { reference: 'Encounter/e-2' } })];
    const { asked, look } = anEhr(() => ({ resources: media, isComplete: true }), capabilities);
    expect((await look(aSiteThatLooksAt('Media'))).sources).toHaveLength(1);
    expect(asked).toMatchObject([{ parameters: { [name]: 'Patient/p-1' } }]);
  });

  it('an EHR that declares the parameter and refuses it is searched by patient', async () => {
    const { asked, look } = anEhr(({ parameters }) => {
      if ('encounter' in parameters) throw new AppError('ehrRefused', 'mercy: the EHR refuses (400)');
      return { resources: [aMedia('m-1')], isComplete: true };
    });
    const { sources, omissions } = await look(aSiteThatLooksAt('Media'));
    expect(sources).toHaveLength(1);
    expect(omissions).toEqual([]);
    expect(asked.map(({ parameters }) => Object.keys(parameters))).toEqual([['encounter'], ['patient']]);
  });

  it('an EHR that cannot search by patient either refuses the search', async () => {
    const capabilities = someCapabilities({ types: { Media: { searchParameters: new Set(['_id']) } } });
    const { asked, look } = anEhr(() => nothing, capabilities);
    await expect(look(aSiteThatLooksAt('Media'))).rejects.toMatchObject({ code: 'ehrRefused' });
    expect(asked).toEqual([]);
  });

  it.each([
    ['says nothing of itself', someCapabilities({ isKnown: false, types: { Media: undefined } })],
    [
      'does not say by what it searches',
      someCapabilities({ types: { Media: { searchParameters: new Set<string>() } } }),
    ],
  ])('a search parameter is not assumed if the EHR %s', async (_, capabilities) => {
    const { asked, look } = anEhr(() => nothing, capabilities);
    await look(aSiteThatLooksAt('Media'));
    expect(asked).toMatchObject([{ parameters: { encounter: 'Encounter/e-1' } }]);
  });
});

describe('a resource type that cannot be searched', () => {
  const refuseMedia: Search = ({ type }) => {
    if (type === 'Media') throw new AppError('ehrRefused', 'mercy: the EHR does not let us read Media (403)');
    return { resources: [aDocument('d-1')], isComplete: true };
  };

  it('it is reported as an omission while the other type is searched', async () => {
    expect(await anEhr(refuseMedia).look()).toMatchObject({
      sources: [{ reference: 'DocumentReference/d-1' }],
      omissions: ['Medias cannot be searched for recordings: mercy: the EHR does not let us read Media (403)'],
    });
  });

  it('a type that the EHR does not offer is not requested', async () => {
    const { asked, look } = anEhr(() => nothing, someCapabilities());
    expect((await look()).omissions).toEqual([
      'Medias cannot be searched for recordings: the EHR offers no search for them (CapabilityStatement)',
    ]);
    expect(asked.map(({ type }) => type)).toEqual(['DocumentReference']);
  });

  it('an error is thrown if no type can be searched', async () => {
    await expect(anEhr(refuseMedia).look(aSiteThatLooksAt('Media'))).rejects.toMatchObject({
      code: 'ehrRefused',
      message: expect.stringContaining('403'),
    });
  });

  it.each(['ehrUnavailable', 'ehrAnswer'] as const)(
    'a temporary failure (%s) is not taken for an empty chart',
    async (code) => {
      const { look } = anEhr(({ type }) => {
        if (type === 'Media') throw new AppError(code, 'mercy: not now');
        return { resources: [aDocument('d-1')], isComplete: true };
      });
      await expect(look()).rejects.toMatchObject({ code });
    },
  );

  it('an unexpected error is never reported as an omission', async () => {
    const { look } = anEhr(() => {
      throw new TypeError('mistake');
    });
    await expect(look()).rejects.toThrow('mistake');
  });

  it('an aborted search is not reported as an omission', async () => {
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
