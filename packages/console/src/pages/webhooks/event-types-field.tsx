import { useState } from 'react';
import { FAMILIES } from './event-types.ts';

interface EventTypesFieldProps {
  readonly eventTypes: readonly string[];
  readonly problem: string | undefined;
}

/** The types of events that an endpoint gets: all, all about something (`invoice.*`), or exact ones. */
export function EventTypesField({ eventTypes, problem }: EventTypesFieldProps) {
  const [isAll, setIsAll] = useState(eventTypes.includes('*'));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(eventTypes.filter(type => type !== '*')));
  const set = (type: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(type);
    else next.delete(type);
    setChosen(next);
  };
  return (
    <fieldset className="field">
      <legend>It gets</legend>
      <label className="check">
        <input type="radio" name="which" checked={isAll} onChange={() => setIsAll(true)} />
        All events
      </label>
      <label className="check">
        <input type="radio" name="which" checked={!isAll} onChange={() => setIsAll(false)} />
        Only some
      </label>
      {isAll && <input type="hidden" name="eventType" value="*" />}
      {!isAll &&
        FAMILIES.map(({ all, name, types }) => {
          const hasAll = chosen.has(all);
          const count = types.filter(type => chosen.has(type)).length;
          return (
            <details key={all} className="more">
              <summary>
                {name} <span className="muted">{hasAll ? 'all' : count > 0 && `${count} of ${types.length}`}</span>
              </summary>
              <div className="checks">
                <label className="check">
                  <input
                    type="checkbox"
                    name="eventType"
                    value={all}
                    checked={hasAll}
                    onChange={event => set(all, event.target.checked)}
                  />
                  All, also later ones
                </label>
                {types.map(type => (
                  <label key={type} className="check">
                    <input
                      type="checkbox"
                      name="eventType"
                      value={type}
                      disabled={hasAll}
                      checked={hasAll || chosen.has(type)}
                      onChange={event => set(type, event.target.checked)}
                    />
                    {type}
                  </label>
                ))}
              </div>
            </details>
          );
        })}
      <div className="field-note">
        {problem && (
          <span className="problem" role="alert">
            {problem}
          </span>
        )}
      </div>
    </fieldset>
  );
}
