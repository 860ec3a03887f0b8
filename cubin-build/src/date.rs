//! Days, for tables of cubin.toml that expire.

use std::time::SystemTime;

use crate::env::Env;

/// The variable that says what time it is for builds that must come out the same: seconds since 1970.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// The day by UTC, as `2027-01-31`.
pub fn today(env: &Env) -> String {
    let said = env.get(EPOCH);
    let said = said.and_then(|value| value.to_str()?.trim().parse::<u64>().ok());
    let seconds = said.unwrap_or_else(|| {
        SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    });
    date(seconds / SECONDS_A_DAY)
}

/// The date of a day since 1970, by the Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(days: u64) -> String {
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_since_1970() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_847, "2027-01-29"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(days), expected);
        }
        assert_eq!(date(u64::MAX / SECONDS_A_DAY).len(), 18);
    }
}
