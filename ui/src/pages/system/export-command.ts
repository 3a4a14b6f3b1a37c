// The command that exports the data of the system page.

/** Returns the command that exports the data of a grid: the rows of a table for a metric and a span (s). */
export function exportCommand(table: string, metric: string, [from, to]: readonly [number, number]): string {
  const at = (s: number, round: (value: number) => number) => new Date(round(s) * 1000).toISOString().slice(0, 19) + 'Z';
  return `jostle export ${table} --metric ${metric} --from ${at(from, Math.floor)} --to ${at(to, Math.ceil)} --format csv`;
}
