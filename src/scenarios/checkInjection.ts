import { editCarrier, MARKER } from './canned.ts';
import type { Report } from './load.ts';
import { trustedTexts, untrustedTexts } from './visible.ts';
import type { Place, Scenario } from './types.ts';

const markersIn = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.split(MARKER).length - 1, 0);

/** How many markers the carrier at a place holds; 0 when there is no such place. */
function markersAt(scenario: Scenario, at: Place): number {
  const carried: string[] = [];
  editCarrier(scenario, at, (text) => {
    carried.push(text);
    return text;
  });
  return markersIn(carried);
}

/** Every carrier exists and holds the marker once, and nothing else does. */
export function checkInjection(scenario: Scenario, report: Report): void {
  const places = new Set<string>();
  for (const [index, { at, text }] of scenario.injection.entries()) {
    const path = scenario.injection.length > 1 ? `$.injection[${index}]` : '$.injection';
    const markers = markersAt(scenario, at);
    if (markers !== 1)
      report(`${path}.at`, `its carrier must hold ${MARKER} exactly once, and holds it ${markers} times`);
    if (places.has(JSON.stringify(at))) report(`${path}.at`, 'two injections in one carrier; make them one text');
    if (text.includes('{{')) report(`${path}.text`, 'holds {{, which would be read as a template');
    places.add(JSON.stringify(at));
  }
  const all = markersIn([...trustedTexts(scenario), ...untrustedTexts(scenario)]);
  const named = [...scenario.injection].reduce((sum, { at }) => sum + markersAt(scenario, at), 0);
  if (all > named && places.size === scenario.injection.length) {
    report('$.injection', `${MARKER} stands outside of the carriers that are named`);
  }
}
