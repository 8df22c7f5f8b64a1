import { asArray, asCount, asObject, asString, inside, type Place } from '../json-guard.ts';
import { checkCount, checkStatistic } from '../report-checks.ts';

const FIGURES = [
  'solvedRunsIntact',
  'solvedRunsEgressIntact',
  'breachesStopped',
  'resistedRunsIntact',
  'resistedRunsEgressIntact',
];
const PAIRS = ['utility', 'utilityUnderAttack', 'asr'];

/** A tier of recorded runs. @throws {BenchError} `input`, naming the place */
export function checkRunsTier(tier: Record<string, unknown>, place: Place): void {
  asArray(tier['pipelines'], inside(place, 'pipelines'), checkPipeline);
}

function checkPipeline(value: unknown, place: Place): void {
  const pipeline = asObject(value, place);
  for (const key of ['pipeline', 'attack']) asString(pipeline[key], inside(place, key));
  for (const figure of FIGURES) checkStatistic(pipeline[figure], inside(place, figure));
  asCount(pipeline['unattributed'], inside(place, 'unattributed'));
  const leftOut = asObject(pipeline['leftOut'], inside(place, 'leftOut'));
  for (const [why, runs] of Object.entries(leftOut)) asCount(runs, inside(inside(place, 'leftOut'), why));
  const published = asObject(pipeline['published'], inside(place, 'published'));
  for (const figure of PAIRS) {
    checkCount(published[figure], inside(inside(place, 'published'), figure));
    const at = inside(place, figure);
    const both = asObject(pipeline[figure], at);
    for (const side of ['without', 'with']) checkStatistic(both[side], inside(at, side));
  }
}
