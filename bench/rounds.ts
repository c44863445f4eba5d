/** Measures a round to warm up, and those that count, with a line for each. Returns the latter. */
export async function measureRounds<Measured>(
  rounds: number,
  measure: () => Promise<Measured>,
  describe: (measured: Measured) => string,
): Promise<Measured[]> {
  const counted: Measured[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const measured = await measure();
    console.log(`${roundName(round)}: ${describe(measured)}`);
    if (round > 0) counted.push(measured);
  }
  return counted;
}

export const roundName = (round: number): string => (round === 0 ? 'warm-up' : `round ${round}`);
