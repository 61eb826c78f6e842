//! Names and places of parcels as a table, for `tasks fmri extract --regions`.

use ndarray::Array2;

/// One line a parcel: its name and, where it has a place, `x_mm`, `y_mm`, `z_mm`. A parcel without voxels has none, and
/// then no column of places is written: a table has places for all or for none.
pub(crate) fn regions_csv(names: &[String], coordinates: Option<&Array2<f64>>) -> csv::Result<Vec<u8>> {
    let places = coordinates.filter(|places| places.iter().all(|value| value.is_finite()));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let axes = ["x_mm", "y_mm", "z_mm"];
    let head: Vec<&str> =
        std::iter::once("name").chain(axes.into_iter().filter(|_| places.is_some())).collect();
    writer.write_record(head)?;
    for (row, name) in names.iter().enumerate() {
        let place = places.map(|places| places.row(row).iter().map(f64::to_string).collect::<Vec<_>>());
        writer.write_record(std::iter::once(name.clone()).chain(place.unwrap_or_default()))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn places_are_written_for_all_or_for_none() {
        let names = ["left, front".to_owned(), "b".to_owned()];
        let text =
            |places: Option<&Array2<f64>>| String::from_utf8(regions_csv(&names, places).unwrap()).unwrap();
        let known = array![[1.5, -2.0, 0.0], [3.0, 4.0, 5.0]];
        assert_eq!(text(Some(&known)), "name,x_mm,y_mm,z_mm\n\"left, front\",1.5,-2,0\nb,3,4,5\n");
        let lost = array![[1.5, -2.0, 0.0], [f64::NAN, 4.0, 5.0]];
        assert_eq!(text(Some(&lost)), "name\n\"left, front\"\nb\n");
        assert_eq!(text(None), text(Some(&lost)));
    }
}
